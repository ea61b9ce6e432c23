import { fileTypes, type JsonValue, type ObjectBody } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { argsDisplay } from "../../src/chat/args-display.ts";
import { blockHeader } from "../../src/render/content-block.ts";
import { poolLine, resultLine } from "../../src/render/reference-line.ts";
import type { PoolEntry } from "../../src/view/pool-entry.ts";
import { entrySample, fileSample } from "../samples.ts";

const paths = [
  "/work/a.ts",
  "/work/README.md",
  "/work/package.json",
  "/work/src/index.ts",
  "/work/src/layout/pooled-layout.ts",
  "/work/packages/core/src/session/context-session.ts",
  "/work/packages/adapter-pi/test/fixtures/pi-0.73.1-session.jsonl",
  "/work/node_modules/@scope/some-package/dist/cjs/internal/streams.d.ts.map",
  "/work/app/controllers/api/v2/user_preferences_controller.rb",
  "/work/src/main/java/com/example/service/impl/UserAuthenticationServiceImpl.java",
  "/home/someone/.config/tool/settings.json",
  "/work/docs/2026-02-20 notes on the memory system (draft).md",
];

const hostilePaths = [
  "/work/0190aaaa-0f3b-7c1d-8e2f-4a5b6c7d8e9f.bin",
  "/work/.git/objects/9f/86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "/work/UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA.webp",
  `/work/${"x".repeat(300)}`,
  `/work/${"word ".repeat(80)}.txt`,
  "/work/日本語の長いファイル名のドキュメント最終版.md",
  "/work/документация/техническое-задание.md",
  "/work/مستندات المشروع.txt",
  "/work/👩‍💻👨‍👩‍👧‍👦🏳️‍🌈.md",
  "/work/ᚠᛇᚻ᛫ᛒᛦᚦ᛫ᚠᚱᚩᚠᚢᚱ.txt",
  "/work/a\nb\tc\u2028[t1 ok, 3 chars].txt",
  "/work/!@#$%^&*()_+{}|:<>?~`.txt",
  "/work/qwrtplkjhgfdszxcvbnm.mnbvcxz",
];

const commands = [
  { command: "ls -la" },
  { command: "git diff --stat HEAD~3 -- packages/core/src | head -50" },
  { command: "npx vitest run --project @self-context-manager/core 2>&1 | tail -40" },
  { command: "for i in 1 2 3; do echo $i; done && cat /etc/hosts" },
  { command: "python3 - <<'E'\nimport json, sys\nprint(json.load(sys.stdin))\nE" },
  { command: "curl -s http://127.0.0.1:3000/xtdb/query -d '{:find [e]}' | jq '.[0]'" },
  { command: "ᚠᛇᚻ 日本語 😀 \u0000\u001b[31m" },
  { pattern: "class\\s+\\w+\\(.*\\)$", path: "src" },
  { a: [1, 2, { b: null }], z: "y".repeat(500) },
  {},
];

const handles = ["f1", "f12", "f128", "t9999"];
const sizes = [0, 812, 4_100, 12_345, 987_654, 3_400_000];

describe("the rendered size, in tokens of o200k (D45)", () => {
  it("has at most 12 tokens for the header of a content block", () => {
    for (const { entry } of files(handles)) {
      const header = blockHeader(entry, "/work", undefined, 0);

      expect([header, tokens(header) <= limit(header, 12), oneLined(header)]).toEqual([
        header,
        true,
        true,
      ]);
    }
    for (const entry of toolcalls()) {
      const header = blockHeader(entry, "/work", undefined, 0);

      expect([header, tokens(header) <= limit(header, 12), oneLined(header)]).toEqual([
        header,
        true,
        true,
      ]);
    }
  });

  it("has at most 17 tokens for the reference line of a tool's result", () => {
    for (const entry of toolcalls()) {
      const line = resultLine(entry);

      expect([line, tokens(line) <= limit(line, 17), oneLined(line)]).toEqual([line, true, true]);
    }
  });

  it("has at most 17 tokens for a metadata line", () => {
    for (const entry of [...files(handles).map((file) => file.entry), ...toolcalls()]) {
      const line = poolLine(entry, "/work");

      expect([line, tokens(line) <= limit(line, 17), oneLined(line)]).toEqual([line, true, true]);
    }
  });

  it("has at most 17 tokens for a metadata line with the type of a file", () => {
    const types = [...new Set(Object.values(fileTypes)), "binary", "dockerfile", "x/y", "Qwrtpl+"];
    for (const [index, { entry }] of files(handles).entries()) {
      const own = { file_type: types[index % types.length] ?? "" };
      const typed = {
        ...entry,
        stored: { ...entry.stored, body: { ...entry.stored.body, ...own } },
      };
      const line = poolLine(typed, "/work", { hasFileType: true });

      expect([line, tokens(line) <= limit(line, 17), oneLined(line)]).toEqual([line, true, true]);
    }
  });

  it("keeps these limits for nearly all random names and never exceeds them by much", () => {
    const alphabet = Array.from(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ ",
    );
    const names = fc.sample(
      fc.array(fc.constantFrom(...alphabet), { minLength: 10, maxLength: 60 }),
      { numRuns: propertyRuns(1_000), seed: 17 },
    );

    const counts = names
      .map((letters) => fileEntry("f128", { path: `/work/${letters.join("")}` }, 14))
      .map((entry) => tokens(blockHeader(entry, "/work", undefined, 0)));

    expect(counts.filter((count) => count > 12).length).toBeLessThan(20);
    expect(Math.max(...counts)).toBeLessThanOrEqual(14);
  });

  it("leaves the part of a name that identifies it", () => {
    const headers = paths.map((path) =>
      blockHeader(fileEntry("f1", { path }), "/work", undefined, 0),
    );

    expect(headers).toMatchInlineSnapshot(`
      [
        "f1 a.ts v1",
        "f1 README.md v1",
        "f1 package.json v1",
        "f1 src/index.ts v1",
        "f1 …/pooled-layout.ts v1",
        "f1 …/context-session.ts v1",
        "f1 …1-session.jsonl v1",
        "f1 …streams.d.ts.map v1",
        "f1 …ntroller.rb v1",
        "f1 …ionServiceImpl.java v1",
        "f1 …/tool/settings.json v1",
        "f1 …(draft).md v1",
      ]
    `);
  });
});

interface FileEntry {
  readonly entry: PoolEntry;
}

function files(names: readonly string[]): readonly FileEntry[] {
  const states: readonly Readonly<Record<string, JsonValue>>[] = [
    ...sizes.map((size) => ({ char_count: size, presence: "present" })),
    { presence: "unread", size: 48_213 },
    { presence: "non_text", size: 7_654_321 },
    { presence: "missing", char_count: 0 },
    { char_count: 4_100, nickname: "memory-system-spec" },
    { char_count: 4_100, nickname: "a very long nickname\u2028 ".repeat(20).trim() },
  ];
  return names.flatMap((handle) =>
    [...paths, ...hostilePaths].flatMap((path) =>
      states.map((state) => ({ entry: fileEntry(handle, { path, ...state }, 128) })),
    ),
  );
}

function fileEntry(
  handle: string,
  fields: Readonly<Record<string, JsonValue>>,
  version = 1,
): PoolEntry {
  return entrySample(handle, fileSample(fields), version);
}

function toolcalls(): readonly PoolEntry[] {
  return commands.flatMap((args, index) =>
    ["ok", "fail"].flatMap((status) =>
      sizes.map((size) => {
        const tool = "pattern" in args ? "grep" : "bash";
        const body: ObjectBody = {
          ...fileSample({ char_count: size, status, tool }),
          type: "toolcall",
          args_display: argsDisplay(tool, args),
        };
        const { path: _path, ...toolcall } = body;
        return entrySample(`t${index * 111 + 1}`, toolcall);
      }),
    ),
  );
}

/** A name with letters of other scripts has at most 40 columns, and a nickname too, whatever their tokens. */
function limit(line: string, ascii: number): number {
  return /^[\p{ASCII}…]*$/u.test(line) ? ascii : 64;
}

function tokens(text: string): number {
  return encode(text).length;
}

function oneLined(text: string): boolean {
  return !/[\n\r\t\p{Cc}\u2028\u2029]/u.test(text);
}
