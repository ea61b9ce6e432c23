import * as fc from "fast-check";
import type { LineRange } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { knownLines, ownChange } from "../../src/calls/own-change.ts";

describe("the text of a written file", () => {
  test("is the model's own if an argument is the text", () => {
    expect(ownChange(undefined, "new\n", { path: "a", content: "new\n" })).toBe("whole");
    expect(ownChange("old\n", "new\n", { files: [{ body: "new\n" }] })).toBe("whole");
  });

  test.each([
    ["one pair", { oldText: "b", newText: "x" }, "a x c b\n"],
    [
      "a list of pairs",
      {
        edits: [
          { oldText: "a", newText: "1" },
          { oldText: "c", newText: "3" },
        ],
      },
      "1 b 3 b\n",
    ],
    ["other names", { old_string: "c", new_string: "" }, "a b  b\n"],
    ["all places", { old_str: "b", new_str: "$&", replace_all: true }, "a $& c $&\n"],
  ])("is a change of the model's if it replaces %s", (_, args, after) => {
    expect(ownChange("a b c b\n", after, args)).toBe("changed");
  });

  test.each([
    ["a formatter changed it too", "a\n", "x;\n", { oldText: "a", newText: "x" }],
    ["the replaced text was not there", "a\n", "x\n", { oldText: "b", newText: "x" }],
    ["the text before is unknown", undefined, "x\n", { oldText: "a", newText: "x" }],
    ["the arguments say nothing", "a\n", "x\n", { path: "a" }],
  ])("is not the model's if %s", (_, before, after, args) => {
    expect(ownChange(before, after, args)).toBeUndefined();
  });
});

describe("the lines that the model knows of a file that it changed", () => {
  const before = "a\nsecret\nz\nlast\n";
  const known = [
    { from: 1, to: 1 },
    { from: 3, to: 3 },
  ];

  test.each([
    ["a line in front", { oldText: "a\n", newText: "new\na\n" }, [1, 2, 4]],
    ["a line that is removed", { oldText: "a\n", newText: "" }, [2]],
    ["a part of a known line", { oldText: "z", newText: "zz" }, [1, 3]],
    ["a part of an unknown line", { oldText: "ret", newText: "RET" }, [1, 3]],
    ["a whole unknown line", { oldText: "secret", newText: "open" }, [1, 2, 3]],
  ])("follow %s", (_, args, lines) => {
    expect(linesIn(knownLines(before, args, known))).toEqual(lines);
  });

  test("do not have a line that only moved past others", () => {
    const edits = [
      { oldText: "a\n", newText: "" },
      { oldText: "z\n", newText: "a\nz\n" },
    ];

    expect(linesIn(knownLines(before, { edits }, known))).toEqual([2, 3]);
  });

  test("never have an unknown line", () => {
    const word = fc.constantFrom("a", "b", "c", "\n", "ab");
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(""));
    const pair = fc.record({ oldText: text, newText: text });
    fc.assert(
      fc.property(text, text, fc.array(pair, { maxLength: 3 }), (head, tail, edits) => {
        const lines = `${head}\nSECRET\n${tail}`;
        const secret = lines.split("\n").indexOf("SECRET") + 1;
        const others = [
          { from: 1, to: secret - 1 },
          { from: secret + 1, to: 99 },
        ];
        const changed = linesIn(knownLines(lines, { edits }, others));
        const after = ownText(lines, edits);

        for (const line of changed) expect(after.split("\n")[line - 1]).not.toContain("SECRET");
      }),
    );
  });
});

function ownText(
  text: string,
  edits: readonly { readonly oldText: string; readonly newText: string }[],
): string {
  return edits.reduce(
    (now, { oldText, newText }) => (oldText === "" ? now : now.replace(oldText, () => newText)),
    text,
  );
}

function linesIn(ranges: readonly LineRange[]): readonly number[] {
  return ranges.flatMap(({ from, to }) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
  );
}
