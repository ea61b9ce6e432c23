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
    ["has CRLF line ends", "a\r\nb\r\nc\r\n", "x\r\ny\r\nc\r\n"],
    ["gets one kind of line ends", "a\r\nb\nc\n", "x\r\ny\r\nc\r\n"],
    ["keeps its mixed line ends", "a\nb\r\nc\n", "x\ny\nc\n"],
    ["has a byte order mark", "\uFEFFa\nb\nc\n", "\uFEFFx\ny\nc\n"],
    ["has blanks at its line ends", "a  \nb\t\nc \n", "x\ny\nc \n"],
    ["loses the blanks at all line ends", "a  \nb\t\nc \n", "x\ny\nc\n"],
  ])("is a change of the model's if it %s", (_, before, after) => {
    const args = { oldText: "a\nb\n", newText: "x\ny\n" };

    expect(ownChange(before, after, args)).toBe("changed");
    expect(ownChange(before, `${after}other\n`, args)).toBeUndefined();
  });

  test("is a change of the model's if the tool found a similar text", () => {
    const args = { oldText: `say "it's - so"`, newText: "say no" };

    expect(ownChange("say “it’s – so”\n“z”\n", "say no\n“z”\n", args)).toBe("changed");
    expect(ownChange("say “it’s – so”\n“z”\n", "say no\nz\n", args)).toBeUndefined();
  });

  test("is not the model's if only the similar text of a text that was found is there", () => {
    expect(ownChange("a\nlast \n", "x\nlast\n", { oldText: "a", newText: "x" })).toBeUndefined();
  });

  test("is a change of the model's if the tool looks for all texts in the text before", () => {
    const edits = [
      { oldText: "a\n", newText: "b\na\n" },
      { oldText: "b\n", newText: "B\n" },
    ];

    expect(ownChange("a\nz\nb\n", "b\na\nz\nB\n", { edits })).toBe("changed");
  });

  test("is the model's own if an argument is the text with other line ends", () => {
    expect(ownChange("old\n", "\uFEFFa\r\nb\r\n", { content: "a\nb\n" })).toBe("whole");
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
    expect(linesIn(knownLines(before, ownText(before, [args]), args, known))).toEqual(lines);
  });

  test("do not have a line that only moved past others", () => {
    const edits = [
      { oldText: "a\n", newText: "" },
      { oldText: "z\n", newText: "a\nz\n" },
    ];

    expect(linesIn(knownLines(before, ownText(before, edits), { edits }, known))).toEqual([2, 3]);
  });

  test.each([
    ["CRLF line ends", "a\r\nsecret\r\nz\r\n", "A\r\nB\r\nsecret\r\nz\r\n", [1, 2, 4]],
    ["other blanks", "a  \nsecret \nz \n", "A\nB\nsecret\nz\n", [1, 2, 4]],
  ])("are found in a text with %s", (_, text, after, lines) => {
    const args = { oldText: "a\n", newText: "A\nB\n" };

    expect(linesIn(knownLines(text, after, args, known))).toEqual(lines);
  });

  test("do not have a line with a part of an unknown one, however similar", () => {
    const args = { oldText: 'z\n"secret', newText: "z\nopen" };

    expect(linesIn(knownLines("z\n“secret” word\n", 'z\nopen" word\n', args, known))).toEqual([1]);
  });

  test("never have an unknown line", () => {
    const word = fc.constantFrom("a", "b", "c", "\n", "ab");
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(""));
    const pair = fc.record({ oldText: text, newText: text });
    const lineEnd = fc.constantFrom("\n", "\r\n", "  \n");
    fc.assert(
      fc.property(text, text, fc.array(pair, { maxLength: 3 }), lineEnd, (head, tail, all, end) => {
        const lines = `${head}\nSECRET\n${tail}`;
        const edits = foundIn(lines, all);
        const secret = lines.split("\n").indexOf("SECRET") + 1;
        const others = [
          { from: 1, to: secret - 1 },
          { from: secret + 1, to: 99 },
        ];
        const after = ownText(lines, edits);
        const [old, now] = [lines, after].map((one) => one.replaceAll("\n", end));
        const changed = linesIn(knownLines(old ?? "", now ?? "", { edits }, others));

        for (const line of changed) expect(after.split("\n")[line - 1]).not.toContain("SECRET");
      }),
    );
  });
});

type Edit = { readonly oldText: string; readonly newText: string };

/** Returns the edits whose text is there when their turn comes. */
function foundIn(text: string, edits: readonly Edit[]): readonly Edit[] {
  const found: Edit[] = [];
  for (const edit of edits)
    if (edit.oldText !== "" && ownText(text, found).includes(edit.oldText)) found.push(edit);
  return found;
}

function ownText(text: string, edits: readonly Edit[]): string {
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
