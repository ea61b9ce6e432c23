import { describe, expect, it } from "vitest";

import { longestParsedText, markdownParser } from "../src/index.ts";

function tagsOf(text: string): readonly string[] {
  const { tags } = markdownParser.parse(text);
  for (const { range, tag } of tags) expect(text.slice(...range)).toBe(`#${tag}`);
  return tags.map(({ tag }) => tag);
}

describe("tags", () => {
  it("have letters of any language, digits, marks and levels", () => {
    expect(tagsOf("#a #größe/klein #日本 #0🌲 #y2026 #a_b-c")).toEqual([
      "a",
      "größe/klein",
      "日本",
      "0🌲",
      "y2026",
      "a_b-c",
    ]);
  });

  it.each([
    ["numbers", "#12 #1/2"],
    ["headings", "# a\n\n#\n"],
    ["code and comments", "`#a` <!-- #b -->\n\n```\n#c\n```\n"],
    ["escapes", "\\#a"],
    ["words", "a#b C# x&#35; /#c =#d"],
    ["the places of links", "[a](#b) [[c#d]] https://example.org/#e"],
    ["colours and priorities", "color:#fff [#A]"],
  ])("are not found in %s", (_, text) => {
    expect(tagsOf(text)).toEqual([]);
  });

  it("are found in HTML, in the text of links and in emphasis", () => {
    expect(tagsOf("<b>#a</b> [#b](c.md) *#d*")).toEqual(["a", "b", "d"]);
  });
});

describe("headings", () => {
  it("have a level and the text that a reader sees", () => {
    const text = "# The *plan* #\n\ntext\n\nCosts of [[Plan B|B]]\n---\n\n### [a](b.md) `c`\n";
    const { headings } = markdownParser.parse(text);

    expect(
      headings.map(({ level, text: shown, range }) => [level, shown, text.slice(...range)]),
    ).toEqual([
      [1, "The *plan*", "# The *plan* #"],
      [2, "Costs of B", "Costs of [[Plan B|B]]\n---"],
      [3, "a `c`", "### [a](b.md) `c`"],
    ]);
  });
});

describe("a long paragraph", () => {
  const prose = "word ".repeat(longestParsedText);

  it("is searched for wiki links outside of code and escapes", () => {
    const text = `${prose}[[a]] \`[[b]]\` \\[[c]] ![[d]] \`\`[[e]] \` [[f]] [[g [[h]] [x](y.md)`;
    const { links } = markdownParser.parse(text);

    expect(links.map(({ name, range }) => [name, text.slice(...range)])).toEqual([
      ["a", "[[a]]"],
      ["d", "![[d]]"],
      ["e", "[[e]]"],
      ["f", "[[f]]"],
      ["h", "[[h]]"],
    ]);
  });

  it("does not change how others are read", () => {
    expect(
      markdownParser.parse(`${prose}\n\n[x](y.md)\n\n# ${prose}\n\n[z](z.md)`).links,
    ).toMatchObject([{ name: "y.md" }, { name: "z.md" }]);
  });
});

it("returns a bounded number of each", () => {
  const { headings, links, tags } = markdownParser.parse("# h [[l]] #t\n".repeat(11_000));

  expect([headings.length, links.length, tags.length]).toEqual([10_000, 10_000, 10_000]);
});

it("parses the whole lines of the first 250,000 characters", () => {
  const line = "# a heading of some words [[l]]\n";
  const lines = Math.floor(250_000 / line.length);

  const { headings, links } = markdownParser.parse(line.repeat(2 * lines));
  const one = markdownParser.parse(`[[a]] ${"word ".repeat(60_000)} [[b]]`);

  expect([headings.length, links.length]).toEqual([lines, lines]);
  expect(one.links.map(({ name }) => name)).toEqual(["a"]);
});
