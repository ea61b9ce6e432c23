import type { JsonObject, JsonValue } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { replacedTexts, withoutReplaced } from "../../src/calls/replaced-texts.ts";
import { withHeads } from "../../src/calls/text-heads.ts";

const long = "an old line of the file\n".repeat(10);
const removed = Array.from({ length: 6 }, (_, n) => `-  old line ${n} of the function`).join("\n");
const mark = `[${removed.length} characters left out]`;

/** Returns a patch in the form of `apply_patch` that removes some lines. */
function patchOf(lines: string): string {
  return [
    "*** Begin Patch",
    "*** Update File: a.ts",
    "@@ function one()",
    " kept",
    lines,
    "+added",
    "*** End Patch",
  ].join("\n");
}

function unifiedOf(lines: string): string {
  return ["--- a/a.ts", "+++ b/a.ts", "@@ -1,7 +1,2 @@", " kept", lines, "+added"].join("\n");
}

describe("the arguments of an edit without the texts that it replaced", () => {
  it("name the version that holds a text to find, and have the text that was written", () => {
    const edits = [{ oldText: long, newText: long }];

    expect(withoutReplaced({ path: "a.ts", edits }, 120, { of: "f2", version: 3 })).toEqual({
      path: "a.ts",
      edits: [{ oldText: `[${long.length} characters, now in f2 v3]`, newText: long }],
    });
    expect(withoutReplaced({ old_string: long }, 120, undefined)).toEqual({
      old_string: `[${long.length} characters left out]`,
    });
  });

  test.each<readonly [string, string, string, string]>([
    ["a patch", "input", patchOf(removed), patchOf(mark)],
    ["a patch in a command", "command", `apply_patch <<'EOF'\n${patchOf(removed)}\nEOF\n`, ""],
    ["a unified patch", "patch", unifiedOf(removed), unifiedOf(mark)],
  ])("have one line instead of removed lines of %s", (_, name, text, shown) => {
    const expected = shown === "" ? text.replace(removed, mark) : shown;

    expect(withoutReplaced({ [name]: text }, 120, undefined)).toEqual({ [name]: expected });
    expect(replacedTexts({ [name]: text }, 120)).toEqual({ found: [], removed: [removed] });
  });

  test.each<readonly [string, JsonObject]>([
    ["a text that is written", { content: patchOf(removed), newText: unifiedOf(removed) }],
    ["short texts", { oldText: "x".repeat(119), patch: patchOf("-".repeat(119)) }],
    ["a list in a command", { command: removed }],
    ["a unified patch that a command writes", { command: unifiedOf(removed) }],
    ["lines before a patch", { command: `${removed}\n${patchOf("-x")}` }],
    ["lines behind a patch", { command: `${patchOf("-x")}\n${removed}` }],
    ["lines of a new file", { input: patchOf("").replace("Update", "Add") + removed }],
    ["the headers of a patch", { patch: `--- ${"a".repeat(120)}\n+++ b\n@@ -1 +1 @@\n-x\n+y` }],
  ])("have %s", (_, args) => {
    expect(withoutReplaced(args, 120, undefined)).toEqual(args);
  });

  it("have their fields, and each mark has the number of the characters that it replaces", () => {
    fc.assert(
      fc.property(edit, (args) => {
        const shown = withoutReplaced(args, 120, undefined);

        expect(withMarksResolved(shown, args)).toEqual(args);
        expect(withoutReplaced(shown, 120, undefined)).toEqual(shown);
        expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
      }),
    );
  });
});

describe("the arguments of a call of which long texts are shown in part", () => {
  it("have the first characters of each, and the number of the others", () => {
    const task = "do this and that ".repeat(20);

    expect(withHeads({ task, names: [task, "a"], count: 3 }, 200)).toEqual({
      task: `${task.slice(0, 200)}\n[${task.length - 200} characters left out]`,
      names: [`${task.slice(0, 200)}\n[${task.length - 200} characters left out]`, "a"],
      count: 3,
    });
    expect(withHeads({ task: "x".repeat(240) }, 200)).toEqual({ task: "x".repeat(240) });
  });

  it("never end within a character of two code units", () => {
    const text = `${"x".repeat(199)}${"\u{1F469}".repeat(50)}`;

    expect(withHeads(text, 200)).toBe(`${"x".repeat(199)}\n[100 characters left out]`);
  });

  it("have their fields, and each mark has the number of the characters that it replaces", () => {
    fc.assert(
      fc.property(json, (args) => {
        const shown = withHeads(args, 200);

        expect(withMarksResolved(shown, args)).toEqual(args);
        expect(withHeads(shown, 200)).toEqual(shown);
      }),
    );
  });
});

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.constantFrom(long, "-".repeat(130), "\u{1F469}".repeat(130), "x".repeat(241)),
);

const line = fc.oneof(
  fc.constantFrom(removed, `${removed}\r`, "@@", "", "*** End Patch", "*** Delete File: b.ts"),
  fc.constantFrom("--- a", "+++ b", "*** Update File: c.ts", "*** Move to: d.ts", " -", "-"),
  text,
);

const patch = fc
  .array(line, { maxLength: 8 })
  .map((lines) => ["*** Begin Patch", "*** Update File: a.ts", ...lines].join("\n"));

const edit = fc.record({
  path: fc.string(),
  edits: fc.array(fc.record({ oldText: text, newText: text }), { maxLength: 3 }),
  input: patch,
  patch: fc.array(line).map((lines) => ["@@", ...lines].join("\n")),
  command: fc.oneof(patch, text),
}) satisfies fc.Arbitrary<JsonObject>;

const json = fc.object({
  values: [text, fc.integer(), fc.constant(null)],
  maxDepth: 3,
}) as fc.Arbitrary<JsonObject>;

/** Returns shown arguments with the text of the original ones at each mark, by the number in the mark. */
function withMarksResolved(
  shown: JsonValue | undefined,
  given: JsonValue | undefined,
): JsonValue | undefined {
  if (typeof shown === "string" && typeof given === "string") {
    let made = "";
    let at = 0;
    for (const [found, number] of shown.matchAll(/\n?\[(\d+) characters left out\]|[^]/gu)) {
      const isGiven = given.startsWith(found, made.length);
      const count = Number(number);
      // The line break before a mark belongs to the text if the text has one there.
      const rest = found.startsWith("\n") && given[made.length] === "\n" ? 1 : 0;
      made += isGiven ? found : given.slice(made.length, made.length + count + rest);
      at += found.length;
    }
    return at === shown.length ? made : undefined;
  }
  if (typeof shown !== "object" || typeof given !== "object") return shown;
  if (shown === null || given === null) return shown;
  const entries = Object.entries(shown).map(([name, value]): [string, JsonValue] => [
    name,
    withMarksResolved(value as JsonValue, (given as JsonObject)[name]) ?? null,
  ]);
  return Array.isArray(shown)
    ? entries.map(([, value]) => value)
    : (Object.fromEntries(entries) as JsonObject);
}
