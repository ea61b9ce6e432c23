import * as fc from "fast-check";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import { terminalText, visible } from "../src/format/terminal-text.ts";
import { type TemporaryStore, temporaryStore, withStore } from "./temporary-store.ts";
import { objectId, sealObject } from "@self-context-manager/objects";

/** Each hidden or controlling character by its name. */
const unseen = {
  NUL: "\u0000",
  BEL: "\u0007",
  "carriage return": "\r",
  ESC: "\u001B",
  DEL: "\u007F",
  "next line": "\u0085",
  CSI: "\u009B",
  "soft hyphen": "\u00AD",
  "Arabic letter mark": "\u061C",
  "Hangul filler": "\u3164",
  "zero-width space": "\u200B",
  "zero-width joiner": "\u200D",
  "right-to-left mark": "\u200F",
  "line separator": "\u2028",
  "right-to-left override": "\u202E",
  "word joiner": "\u2060",
  "first strong isolate": "\u2068",
  "byte order mark": "\uFEFF",
  "lone surrogate": "\uD800",
  "tag A": "\u{E0041}",
  "variation selector 17": "\u{E0100}",
};
const plain = "é 👩 ❤️ שלום 漢字 \uE000 ~";
/** Any text, with many unseen characters. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Object.values(unseen), "\n", "\t", "\\u001b"),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

test.each(Object.entries(unseen))("%s is escaped", (_, character) => {
  expect(terminalText(`a${character}b`)).toMatch(/^a(?:\\u[0-9a-f]{4}){1,2}b$/u);
});

test("a text keeps its letters, line feeds and tabs, and a line has neither line feeds nor tabs", () => {
  expect(terminalText(`${plain}\n\t${plain}`)).toBe(`${plain}\n\t${plain}`);
  expect(visible(`${plain}\n\t`)).toBe(String.raw`${plain}\u000a\u0009`);
});

test("no text has an unseen character for a terminal, and JSON stays JSON with the same value", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = terminalText(text);

      expect(shown).not.toMatch(
        /(?![\n\t])\p{Cc}|[\u200B-\u200F\u2028-\u202E\u2060-\u206F\u{E0000}-\u{E0FFF}]/u,
      );
      expect(shown.isWellFormed()).toBe(true);
      expect(terminalText(shown)).toBe(shown);
      expect(visible(text)).not.toMatch(/[\n\t]/u);
      expect(JSON.parse(terminalText(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
    }),
  );
});

describe("a store with hostile names and texts", () => {
  const bad = "\u001B]0;owned\u0007\u202E\u200B\u{E0041}";
  const badId = objectId("note-\u202E\u200B\u{E0041}x");

  async function hostileStore(): Promise<TemporaryStore> {
    const made = await temporaryStore();
    await withStore(made, async (store) => {
      await store.commit([
        {
          object: sealObject({
            id: badId,
            type: "note",
            content: `one ${bad}\ntwo\n`,
            locked: false,
            nickname: "nick\u202E\u200B",
            [`field${bad}`]: `value${bad}`,
            provenance: { origin: `/work/${bad}.md`, generator: "human" },
          }),
        },
      ]);
    });
    return made;
  }

  test.each([
    ["list"],
    ["list", "--json"],
    ["show", "note-"],
    ["show", "note-", "--json"],
    ["history", "note-"],
    ["print", "note-"],
    ["print", "note-", "--field", `none${bad}`],
    ["print", "note-", "--field", `field${bad}`],
    ["find", "one"],
    ["find", "--literal", "one"],
    ["links", "note-"],
    ["export"],
    ["show", `missing${bad}`],
    [`unknown${bad}`],
    ["list", `--unknown${bad}`],
  ])("sends no unseen character of it to a terminal: scm %j %j %j", async (...argv) => {
    await using store = await hostileStore();

    const { stdout, stderr } = await store.scmOnTerminal(...argv);

    expect(stdout + stderr).not.toBe("");
    expect(terminalText(stdout)).toBe(stdout);
    expect(terminalText(stderr)).toBe(stderr);
  });

  test("gives its bytes to a pipe, and to a terminal with --raw", async () => {
    await using store = await hostileStore();

    const runs = [
      await store.scm("print", "note-"),
      await store.scmOnTerminal("print", "note-", "--raw"),
    ];

    expect(runs.map(({ stdout }) => stdout)).toEqual(Array(2).fill(`one ${bad}\ntwo\n`));
  });

  test("has no line of a table with a field name that looks like another line", async () => {
    await using store = await temporaryStore();
    await withStore(store, async (open) => {
      const provenance = { origin: "x", generator: "human" } as const;
      const body = { id: objectId("n"), type: "note", content: "", locked: false, provenance };
      await open.commit([{ object: sealObject({ ...body, "a\nlocked  true": "b" }) }]);
    });

    const { stdout } = await store.scm("show", "n");

    expect(stdout).toContain(String.raw`a\u000alocked  true`);
    expect(stdout).not.toMatch(/^locked {2}true/mu);
  });

  const hasTerminal =
    spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ??
    false;

  test.runIf(hasTerminal)("is escaped on a real terminal", async () => {
    await using store = await hostileStore();
    const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
    const command = `'${process.execPath}' --conditions=@self-context-manager/source '${main}' print note-`;

    const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      env: { ...process.env, SCM_STORE: store.at, SHELL: "/bin/sh" },
      encoding: "utf8",
    });

    expect(stdout.replaceAll("\r\n", "\n")).toBe(`one ${terminalText(bad)}\ntwo\n`);
  });
});
