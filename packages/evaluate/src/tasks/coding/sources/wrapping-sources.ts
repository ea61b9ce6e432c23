import type { TaskFiles } from "../../../model/task.ts";
import { errorsSource, packageSource, runnerSource, tableSource } from "./plain-sources.ts";

/** A repository that formats texts. Long words are not cut, and the indent is only on the first line. */
export function wrappingSources(company: string, mark: string): TaskFiles {
  return {
    "package.json": packageSource(`${company}-text`, "Formats texts for terminals."),
    "README.md": `# ${company} text\n\n\`src/wrap.js\` wraps paragraphs, \`src/columns.js\` sets two texts side by side, and \`src/lists.js\` formats lists. Tests: \`node test/run.js\`.\n`,
    "src/errors.js": errorsSource,
    "src/table.js": tableSource,
    "src/marks.js": marksSource(mark),
    "src/paragraphs.js": paragraphsSource,
    "src/wrap.js": wrapSource,
    "src/columns.js": columnsSource,
    "src/lists.js": listsSource,
    "test/run.js": runnerSource,
    "test/text.cases.js": casesSource,
  };
}

const marksSource = (mark: string): string => `// Signs with a meaning in formatted texts.

/** At the end of a piece of a word that goes over several lines. */
export const cutMark = "${mark}";

/** Before an item of a list. */
export const itemMark = "- ";

/** Between two columns. */
export const columnMark = " | ";

export function isMark(text) {
  return [cutMark, itemMark.trim(), columnMark.trim()].includes(text);
}
`;

const paragraphsSource = String.raw`// Paragraphs are separated by empty lines. The indent of a paragraph is that of its first line.

export function paragraphs(text) {
  return text
    .split(/\n[ \t]*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const lines = part.split("\n").filter((line) => line.trim() !== "");
      const indent = /^[ \t]*/.exec(lines[0])[0].replaceAll("\t", "    ");
      return { indent, text: lines.map((line) => line.trim()).join(" ") };
    });
}

export function dedent(text) {
  const lines = text.split("\n");
  const filled = lines.filter((line) => line.trim() !== "");
  const least = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return filled.length === 0 ? text : lines.map((line) => line.slice(least)).join("\n");
}
`;

const wrapSource = String.raw`import { UsageError } from "./errors.js";
import { paragraphs } from "./paragraphs.js";

/** Wraps the paragraphs of a text to lines that are not longer than the width. */
export function wrap(text, width) {
  if (!Number.isInteger(width) || width < 8) throw new UsageError("a width has to be 8 or more: " + width);
  return paragraphs(text)
    .map((paragraph) => wrapOne(paragraph, width))
    .join("\n\n");
}

function wrapOne({ indent, text }, width) {
  if (indent.length > width - 4) throw new UsageError("the indent leaves no room in " + width);
  const lines = fill(text, width - indent.length);
  return indent + lines.join("\n");
}

/** Fills lines with words, as many as there is room for. */
export function fill(text, width) {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const lines = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : line + " " + word;
    if (line !== "" && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}
`;

const columnsSource = String.raw`import { columnMark } from "./marks.js";
import { fill } from "./wrap.js";

/** Sets two texts side by side. The shorter one is filled with empty lines. */
export function columns(left, right, width) {
  const own = Math.floor((width - columnMark.length) / 2);
  const [first, second] = [fill(left, own), fill(right, own)];
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, index) =>
    ((first[index] ?? "").padEnd(own) + columnMark + (second[index] ?? "")).trimEnd(),
  ).join("\n");
}
`;

const listsSource = String.raw`import { itemMark } from "./marks.js";
import { fill } from "./wrap.js";

/** Formats items. The lines after the first one of an item begin below its text. */
export function list(items, width) {
  const space = " ".repeat(itemMark.length);
  return items
    .map((item) => fill(item, width - itemMark.length))
    .map((lines) => lines.map((line, index) => (index === 0 ? itemMark : space) + line).join("\n"))
    .join("\n");
}

export function numbered(items, width) {
  const most = String(items.length).length + 2;
  return items
    .map((item, index) => {
      const mark = (index + 1 + ".").padEnd(most);
      const lines = fill(item, width - most);
      return lines.map((line, place) => (place === 0 ? mark : " ".repeat(most)) + line).join("\n");
    })
    .join("\n");
}
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { columns } from "../src/columns.js";
import { list, numbered } from "../src/lists.js";
import { dedent } from "../src/paragraphs.js";
import { wrap } from "../src/wrap.js";

export const cases = {
  "a paragraph is wrapped": () => assert.equal(wrap("one two three four", 9), "one two\nthree\nfour"),
  "paragraphs stay apart": () => assert.equal(wrap("one\n\n\ntwo\nthree", 20), "one\n\ntwo three"),
  "a list has marks": () => assert.equal(list(["one two", "three"], 8), "- one\n  two\n- three"),
  "a list has numbers": () => assert.equal(numbered(["a", "b c"], 4), "1. a\n2. b\n   c"),
  "columns are side by side": () => assert.equal(columns("a b", "c", 9), "a b | c"),
  "an indent is removed": () => assert.equal(dedent("  a\n    b\n"), "a\n  b\n"),
};
`;

export function wrappingTests(mark: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { list } from "../src/lists.js";
import { wrap } from "../src/wrap.js";

test("a long word is cut, with the mark inside the width", () => {
  assert.equal(wrap("ab cdefghijklmnopqrst uv", 8), "ab\\ncdefghi${mark}\\njklmnop${mark}\\nqrst uv");
  assert.equal(wrap("abcdefgh abcdefghi", 8), "abcdefgh\\nabcdefg${mark}\\nhi");
  assert.equal(list(["abcdefgh"], 8), "- abcde${mark}\\n  fgh");
});

test("each line has the indent of its paragraph", () => {
  assert.equal(wrap("  one two three\\n\\nfour five six", 9), "  one two\\n  three\\n\\nfour five\\nsix");
  assert.equal(wrap("    abcdefgh", 10), "    abcde${mark}\\n    fgh");
});

test("no line is longer than the width", () => {
  const text = "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii jjjjjjjjjj ".repeat(5);
  for (let width = 8; width < 40; width += 1) {
    for (const line of wrap("   " + text, width).split("\\n")) assert.ok(line.length <= width, line);
  }
});
`;
}
