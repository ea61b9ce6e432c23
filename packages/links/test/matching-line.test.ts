import { expect, test } from "vitest";

// @boundaries-ignore Several packages compare times in this way.
import { growth, linear } from "../../../tools/growth.ts";
import { lineAt, matchingLine } from "../src/matching-line.ts";
import { nearestNames } from "../src/nearest-names.ts";
import { headingOf, onVisibleLines, sectionOf } from "../src/sections.ts";

test.each([
  ["one\ntwo words here\nwords", "two words", { line: 2, text: "two words here", words: 2 }],
  ["const readFile = 1;", "readFile", { line: 1, text: "const readFile = 1;", words: 2 }],
  ["a\nREAD the FILE", "readFile", { line: 2, text: "READ the FILE", words: 2 }],
  ["nothing", "something else", undefined],
  [
    "eins\nÜber uns".normalize("NFD"),
    "über",
    { line: 2, text: "Über uns".normalize("NFD"), words: 1 },
  ],
  ["---\na: 1\n---\n\n# Title\n", "", { line: 5, text: "# Title", words: 1 }],
])("the matching line of %j for %j", (text, question, expected) => {
  expect(matchingLine(text, question)).toEqual(expected);
});

test("a question of any length takes time in proportion to the text", () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `absent${index}`).join(" ");
  const search = (lines: number): void =>
    expect(matchingLine("some words\n".repeat(lines), many)).toBeUndefined();

  expect(growth(search, 100_000)).toBeLessThan(linear);
});

test("a front matter without an end takes time in proportion to its length", () => {
  const search = (lines: number): void =>
    expect(matchingLine(`---\n${"a: b\n".repeat(lines)}`, "")?.line).toBe(1);

  expect(growth(search, 1_000_000)).toBeLessThan(linear);
});

test("a long line is cut around the first word", () => {
  const line = matchingLine(`${"x ".repeat(200)}needle ${"y ".repeat(200)}`, "needle");

  expect(line?.text).toMatch(/^….{20,40}needle y .*…$/u);
  expect(line?.text.length).toBeLessThan(130);
});

test.each([
  ["one\ntwo\nthree", 4, { line: 2, text: "two" }],
  ["one\ntwo", 0, { line: 1, text: "one" }],
  ["one\n", 4, { line: 2, text: "" }],
])("the line of %j at %j", (text, offset, expected) => {
  expect(lineAt(text, offset)).toEqual(expected);
});

const text = "intro\n# A\none\n## B *c*\ntwo\n# D\nthree\n";
const headings = [
  { level: 1, text: "A", range: [6, 9] as const },
  { level: 2, text: "B *c*", range: [14, 22] as const },
  { level: 1, text: "D", range: [27, 30] as const },
];

test.each([
  ["A", { from: 2, to: 5 }],
  ["b c", { from: 4, to: 5 }],
  ["A#B c", { from: 4, to: 5 }],
  ["d", { from: 6, to: 7 }],
  ["b-c", { from: 4, to: 5 }],
  ["E", undefined],
  ["#", undefined],
])("the section %j", (heading, expected) => {
  expect(sectionOf({ headings }, text, heading)).toEqual(expected);
});

test("the heading above a line", () => {
  expect([1, 2, 3, 5, 7].map((line) => headingOf({ headings }, text, line)?.text)).toEqual([
    undefined,
    "A",
    "A",
    "B *c*",
    "D",
  ]);
});

test("the headings of a large document take time in proportion to its length", () => {
  const search = (count: number): void => {
    const long = "# a\n".repeat(count);
    const many = Array.from({ length: count }, (_, index) => ({
      level: 1,
      text: "a",
      range: [index * 4, index * 4 + 3] as const,
    }));
    expect(headingOf({ headings: many }, long, 1)).toBe(many[0]);
    expect(onVisibleLines(many, long, (line) => line > count - 2)).toEqual(many.slice(-2));
  };

  expect(growth(search, 200_000)).toBeLessThan(linear);
});

test.each([
  ["limit", ["limits"]],
  ["rate", ["rate limits"]],
  ["costs", []],
  ["plans", ["plan"]],
])("the names near %j", (name, expected) => {
  const known = ["notes/limits.md", "notes/plan.md"].map((path, index) => ({
    id: `n${index}` as never,
    path: `/work/${path}`,
    aliases: index === 0 ? ["Rate limits"] : [],
  }));

  expect(nearestNames(name, known)).toEqual(expected);
});
