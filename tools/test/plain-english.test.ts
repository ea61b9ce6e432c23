import { readFileSync, readdirSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const specification = readFileSync(join(root, "docs", "specification.md"), "utf8");
const decisions = new Set([...specification.matchAll(/^\| D(\d+) /gmu)].map(([, id]) => id));

/** A pattern, what to write instead, and an example. A space in a pattern also matches the end of a line. */
type Habit = readonly [pattern: string, instead: string, example: string];

const habits: readonly Habit[] = [
  ["unless told", "by default", "24 unless told"],
  ["(?<!unless )told", "reported, notified, given, configured, passed, known", "it is told once"],
  ["tells", "reports, shows, returns, distinguishes", "the record tells the order"],
  ["unless (?:set|given)", "by default", "24 unless set"],
  ["anew", "again, from the start, new", "it is made anew"],
  ["what (?:has |had )?(?:left|leaves)", "a noun: objects that left", "a line for what left"],
  ["of then", "at that time, of that version", "the sets as of then"],
  ["ours", "a noun: the context tools", "a line of ours"],
  ["in the place of", "instead of, replaces", "a line in the place of the result"],
  [
    "(?:stands?|stood) (?:above|alone|as|at|before|behind|below|beside|between|first|in|last|nowhere|on|once|only|there|under|where|with)",
    "is, appears, is stored, is shown",
    "the line stands above",
  ],
  ["(?:goes|gone|went) on|go on (?:after|by|from|with)", "continues", "the call goes on"],
  ["taken in", "ingested", "what was missed is taken in"],
  ["but for", "except", "all files but for one"],
  ["any more(?! than)", "no longer", "it is not sent any more"],
];

/** Citations of what readers do not have. They count in comments and documents; in a string they can be a path. */
const citations: readonly Habit[] = [
  ["design §|house-style|rooms\\.md|notes/", "the reason in a clause", "as design §6 asks"],
  [
    String.raw`D(?!(?:${[...decisions].join("|")})\b)\d+`,
    "the reason, then a number that docs/specification.md defines",
    "the text is kept (D99)",
  ],
];

const isCitation = ([pattern]: Habit): boolean => citations.some(([one]) => one === pattern);

/** Folders that hold nothing of this repository's own writing. */
const passedOver = new Set(["node_modules", "dist", "pack", "fixtures"]);
const sources = /^(?:bench|examples|packages|tests-e2e|tools)\/.*\.(?:clj|mjs|ts)$/u;
const notRead = new RegExp(String.raw`${basename(import.meta.filename)}$|CHANGELOG\.md$`, "u");

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (passedOver.has(entry.name) || entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    const name = relative(root, path).replaceAll(sep, "/");
    if (notRead.test(name)) return [];
    return name.endsWith(".md") || sources.test(name) ? [name] : [];
  });
}

// The parts of a source that are prose or that could be mistaken for it, as regular expressions.
const quoted = String.raw`"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'`;
const inner = String.raw`\x60[^\x60]*\x60|${quoted}|[^{}"'\x60]`;
const hole = String.raw`\$\{(?:${inner}|\{(?:${inner}|\{(?:${inner})*\})*\})*\}`;
const template = String.raw`\x60(?:\\[\s\S]|${hole}|[^\x60\\])*\x60`;
const comment = String.raw`(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+|\/\*[\s\S]*?\*\/`;
const regularExpression = String.raw`(?<=(?:[(,=:[!&|?{};>]|return)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*`;
const typescript = [comment, regularExpression, quoted, template].join("|");
const clojure = String.raw`(?:;[^\n]*(?:\n[ \t]*(?=;))?)+|\\.|"(?:\\[\s\S]|[^"\\])*"`;

/** A comment, a string or a document, by where it starts in its file. */
interface Prose {
  readonly text: string;
  readonly start: number;
  readonly isString: boolean;
}

/** Blanks a part of a text, so that the rest keeps its place. */
const blank = (text: string): string => text.replaceAll(/[^\n]/gu, "\0");

function proseOf(name: string, text: string): readonly Prose[] {
  if (name.endsWith(".md")) {
    const withoutFences = text.replaceAll(/^( *)(`{3,}|~{3,}).*?^\1\2$/gmsu, blank);
    const plain = withoutFences.replaceAll(/(`+)[^`\n]+\1|\]\([^)\s]*\)/gu, blank);
    return [{ text: plain, start: 0, isString: false }];
  }
  const parts = new RegExp(name.endsWith(".clj") ? clojure : typescript, "gu");
  return [...text.matchAll(parts)].flatMap(({ 0: part, index: start }) => {
    if (/^(?:\/(?![/*])|\\)/u.test(part)) return [];
    const isString = !/^[/;]/u.test(part);
    if (!part.startsWith("`")) return [{ text: part, start, isString }];
    const holes = [...part.matchAll(new RegExp(hole, "gu"))].flatMap(({ 0: code, index }) =>
      proseOf(name, blank(text.slice(0, start + index + 2)) + code.slice(2, -1)),
    );
    return [{ text: part.replaceAll(new RegExp(hole, "gu"), blank), start, isString }, ...holes];
  });
}

/** White space, or the end of a line of a comment with the mark that begins the next. */
const gap = String.raw`(?:[ \t]|\n[ \t]*(?:\*(?!\/)|\/\/|;+|>)?)+`;

/** The places where a file has a habit, as `file:line "words": write …`. */
function hitsIn(
  name: string,
  text: string,
  habit: Habit,
  parts: readonly Prose[] = proseOf(name, text),
): readonly string[] {
  const [pattern, instead] = habit;
  const words = String.raw`\b(?:${pattern.replaceAll(" ", gap)})(?:\b|(?<=\W))`;
  return parts
    .filter(({ isString }) => !isString || !isCitation(habit))
    .flatMap((prose) =>
      [...prose.text.matchAll(new RegExp(words, "giu"))].map(({ 0: found, index }) => {
        const line = text.slice(0, prose.start + index).split("\n").length;
        return `${name}:${line} "${found.replaceAll(/\s+/gu, " ")}": write ${instead}`;
      }),
    );
}

const files = filesBelow(root).map((name) => {
  const text = readFileSync(join(root, name), "utf8");
  return { name, text, prose: proseOf(name, text) };
});

describe.each([...habits, ...citations])("`%s`: %s", (...habit) => {
  const [, , example] = habit;

  test("is refused in a document, in a wrapped comment and in a string", () => {
    const inString = isCitation(habit) ? 0 : 1;

    expect(hitsIn("a.md", example, habit)).toHaveLength(1);
    expect(hitsIn("a.ts", `/* ${example.split(" ").join("\n * ")} */`, habit)).toHaveLength(1);
    expect(hitsIn("a.ts", `fail(\`\${b} ${example}\`)`, habit)).toHaveLength(inString);
    expect(hitsIn("a.clj", `; ${example}`, habit)).toHaveLength(1);
  });

  test("is nowhere in the repository", () => {
    expect(files.flatMap(({ name, text, prose }) => hitsIn(name, text, habit, prose))).toEqual([]);
  });
});

test("code, regular expressions and code in documents are not prose", () => {
  const told: Habit = ["told", "", ""];

  expect(hitsIn("a.md", "```ts\ntold();\n```\nand `told`", told)).toEqual([]);
  expect(hitsIn("a.ts", 'told = /"told"/u; a = `${told}`;', told)).toEqual([]);
  expect(files.map(({ name }) => name)).toContain("tools/llms.mjs");
});
