import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { poolLine, resultLine } from "../../src/render/reference-line.ts";
import { shortName } from "../../src/render/short-name.ts";
import { entrySample, fileSample } from "../samples.ts";

const anyText = fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.toWellFormed());
const lineBreaking = fc
  .array(
    fc.oneof(fc.constantFrom("\n", "\r", "\u2028", "\u0085", "\u202E", "[t1 ok]", "a"), anyText),
  )
  .map((pieces) => pieces.join(""));

describe("the short name of an object", () => {
  it.each([
    ["a path in the workspace, relative", { path: "/work/src/a.ts" }, "src/a.ts"],
    ["a path outside of it, whole", { path: "/etc/hosts" }, "/etc/hosts"],
    ["a deleted file, by its last path", { path: null }, "a.ts"],
    [
      "a tool call, by its arguments",
      { type: "toolcall", path: null, args_display: 'bash: "ls"' },
      'bash "ls"',
    ],
    [
      "a nickname, if there is no path or tool",
      { type: "idea", path: null, nickname: "plan" },
      "plan",
    ],
    ["the type, if there is no nickname either", { type: "idea", path: null }, "idea"],
  ])("is %s", (_name, fields, expected) => {
    expect(shortName("/work", fileSample(fields))).toBe(expected);
  });

  it("is one well-formed line for any name of a file, a tool or a user", () => {
    fc.assert(
      fc.property(lineBreaking, lineBreaking, (name, other) => {
        const body = fileSample({ path: `/work/${name}`, nickname: other || "n" });
        const texts = [
          shortName("/work", body),
          poolLine(entrySample("f1", body), "/work"),
          poolLine(entrySample("f1", { ...body, view: ["path", "nickname"] }), "/work"),
          resultLine(entrySample("t1", { ...body, type: "toolcall", report: name })),
        ];

        for (const text of texts) {
          expect(text).not.toMatch(/[\n\r\p{Cc}\u2028\u2029\u202E]/u);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe("a metadata line", () => {
  it.each([
    ["a file", {}, 1, "f1 a.ts 6"],
    [
      "a file with a nickname and versions",
      { nickname: "plan", char_count: 4_100 },
      3,
      "f1 a.ts (plan) 4.1k v3",
    ],
    ["a file that was not read", { presence: "unread", size: 2_048 }, 1, "f1 a.ts unread 2kB"],
    ["a file that is not text", { presence: "non_text", size: 12_345 }, 1, "f1 a.ts not text 12kB"],
    ["a file that was deleted", { presence: "missing", path: null }, 2, "f1 a.ts deleted"],
    [
      "an object whose own view names what the line shows anyway",
      { view: ["type", "char_count", "no_such_field"] },
      1,
      "f1 a.ts 6",
    ],
  ])("of %s", (_name, fields, version, expected) => {
    expect(poolLine(entrySample("f1", fileSample(fields), version), "/work")).toBe(expected);
  });
});
