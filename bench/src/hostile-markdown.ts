// Markdown on which parsers take time out of proportion: openings without ends, nesting, and many candidates for one end.

const characters = 100_000;

/** Long enough that a parser reads it as one paragraph, and short enough that this parser reads it in full. */
const paragraphCharacters = 1_990;

/** How the names of texts begin that are front matter. */
export const frontMatter = "front matter: ";

const units = [
  "[[",
  "[[a",
  "![[",
  "[a](",
  "[a](<",
  "[a]: ",
  "](",
  "[",
  "![",
  "]",
  "*a ",
  "**a_",
  "_a",
  "#a",
  "<!--",
  "<a ",
  "&a",
  "\\[[",
  "`a``b ",
  "$a",
  "|a",
  "a://b ",
  "[[a]] #b [x](y) ",
  "[x]\n\n",
  "\n- [ ] ",
] as const;

/** Hostile texts by name. Each unit is repeated in one line, and again in paragraphs. */
export function hostileTexts(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const unit of units) {
    const name = JSON.stringify(unit);
    texts.set(`${name} in one line`, repeated(unit, characters));
    const paragraph = repeated(unit, paragraphCharacters);
    const count = Math.ceil(characters / paragraph.length);
    texts.set(`${name} in paragraphs`, Array.from({ length: count }, () => paragraph).join("\n\n"));
  }
  texts.set("1 MB of links in one line", repeated("[[x]] y ", 1_000_000));
  texts.set("1 MB of words in one line", repeated("words ", 1_000_000));
  texts.set("2,000 nested quotes", `${"> ".repeat(2_000)}a`);
  texts.set("500 nested lists", nested(500, "- a"));
  texts.set("300 nested numbered lists", nested(300, "1. a"));
  texts.set("1,500 runs of backticks", runs(1_500, "`"));
  texts.set("1,500 runs of stars", runs(1_500, "*"));
  texts.set("a table of 5,000 columns", table(5_000));
  texts.set("5,000 definitions", `${definitions(5_000)}\n\n${"[a1] ".repeat(3_000)}`);
  texts.set(`${frontMatter}lists without ends`, front("a: [".repeat(10_000)));
  texts.set(`${frontMatter}anchors`, front("a: &a [*a]\n".repeat(4_000)));
  texts.set(`${frontMatter}tags`, front(`tags: ${"#a ".repeat(20_000)}`));
  texts.set(`${frontMatter}links`, front(`x: "${"[[".repeat(20_000)}"`));
  texts.set(`${frontMatter}keys`, front("? ".repeat(10_000)));
  texts.set(`${frontMatter}items`, front("- ".repeat(10_000)));
  return texts;
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length));
}

function nested(depth: number, item: string): string {
  return Array.from({ length: depth }, (_, level) => `${"  ".repeat(level)}${item}`).join("\n");
}

function runs(count: number, mark: string): string {
  return Array.from({ length: count }, (_, length) => mark.repeat(length + 1)).join(" ");
}

function table(columns: number): string {
  const row = (cell: string): string => `${`|${cell}`.repeat(columns)}|\n`;
  return `${row("a")}${row("-")}${row("b").repeat(8)}`;
}

function definitions(count: number): string {
  return Array.from({ length: count }, (_, index) => `[a${index}]: x`).join("\n");
}

function front(yaml: string): string {
  return `---\n${yaml}\n---\n`;
}
