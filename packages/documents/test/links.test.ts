import { describe, expect, it } from "vitest";

import { markdownParser } from "../src/index.ts";

function linksOf(text: string) {
  return markdownParser
    .parse(text)
    .links.map(({ range, path: _path, syntax: _syntax, ...link }) => ({
      ...link,
      text: text.slice(...range),
    }));
}

function namesOf(text: string): readonly string[] {
  return markdownParser
    .parse(text)
    .links.map(({ name, heading }) => (heading === undefined ? name : `${name}#${heading}`));
}

describe("wiki links", () => {
  it("have a name, a heading and an alias", () => {
    expect(linksOf("See [[Plan B#Costs|the costs]] and ![[photo.png]].")).toEqual([
      {
        raw: "Plan B#Costs|the costs",
        name: "Plan B",
        heading: "Costs",
        alias: "the costs",
        text: "[[Plan B#Costs|the costs]]",
      },
      { raw: "photo.png", name: "photo.png", embed: true, text: "![[photo.png]]" },
    ]);
  });

  it("without a name lead to the document itself", () => {
    expect(linksOf("[[#Costs]]")).toEqual([
      { raw: "#Costs", name: "", heading: "Costs", text: "[[#Costs]]" },
    ]);
  });

  it("have their bar escaped in tables", () => {
    const text = "| a | b |\n| - | - |\n| [[Plan\\|p]] | x |\n";

    expect(linksOf(text)).toEqual([
      { raw: "Plan\\|p", name: "Plan", alias: "p", text: "[[Plan\\|p]]" },
    ]);
  });

  it.each([
    ["code", "`[[a]]` and ``x ` [[b]]``"],
    ["a fence", "```md\n[[a]]\n```\n"],
    ["a fence that nothing closes", "~~~\n[[a]]\n"],
    ["indented code", "text\n\n    [[a]]\n"],
    ["a comment", "<!-- [[a]] -->\n\nx <!-- [[b]] -->"],
    ["an attribute", 'x <span title="[[a]]">y</span>'],
    ["an escape", "\\[[a]] and \\[\\[b\\]\\]"],
    ["two lines", "[[a\nb]]"],
    ["nothing", "[[]] [[ ]] [[a]"],
  ])("are not found in %s", (_, text) => {
    expect(namesOf(text)).toEqual([]);
  });

  it.each([
    ["quotes and lists", "> - [[a]]\n>   - [[b]]\n", ["a", "b"]],
    ["headings", "# On [[a]]\n\n[[b]]\n===\n", ["a", "b"]],
    ["emphasis and links", "**[[a]]** _[[b]]_ ~~[[c]]~~", ["a", "b", "c"]],
    ["brackets", "[ [[a]] ] ([[b]]) [[[c]]]", ["a", "b", "c"]],
    ["footnotes", "x[^1]\n\n[^1]: see [[a]]\n", ["a"]],
    ["lines that end with CRLF", "[[a]]\r\n\r\n[[b]]\r\n", ["a", "b"]],
    ["a text with a byte order mark", "\uFEFF[[a]]", ["a"]],
    ["other brackets before", "[[a [[b]]", ["b"]],
    [
      "names with brackets",
      "[[Note [1]]] [[c [d [e]]]] ([[f [g]]) [[h]]]",
      ["Note [1]", "c [d [e]]", "f [g", "h"],
    ],
    ["a link's end", "[[a]](b)", ["a"]],
  ])("are found in %s", (_, text, names) => {
    expect(namesOf(text)).toEqual(names);
  });
});

describe("Markdown links", () => {
  it("lead to local files", () => {
    const text = "[the plan](./plans/plan%20b.md#costs) and ![](<a photo.png>)";

    expect(linksOf(text)).toEqual([
      {
        raw: "./plans/plan%20b.md#costs",
        name: "./plans/plan b.md",
        heading: "costs",
        alias: "the plan",
        text: "[the plan](./plans/plan%20b.md#costs)",
      },
      { raw: "<a photo.png>", name: "a photo.png", embed: true, text: "![](<a photo.png>)" },
    ]);
  });

  it.each([
    ["web addresses", "[a](https://example.org/x.md) [b](//example.org) [c](mailto:x@example.org)"],
    ["code", "`[a](b.md)`"],
    ["escapes", "\\[a](b.md)"],
    ["labels without a definition", "[a] [b][] [c][d]"],
  ])("are not found in %s", (_, text) => {
    expect(namesOf(text)).toEqual([]);
  });

  it("lead where their definition says", () => {
    const text =
      "[a] [The  B][] [x][the b] [web]\n\n[a]: ./a.md\n[the b]: b.md 'B'\n[a]: no.md\n[web]: https://example.org\n";

    expect(namesOf(text)).toEqual(["./a.md", "b.md", "b.md"]);
  });

  it("keep a percent sign that encodes nothing, and a drive", () => {
    expect(namesOf("[a](100%.md) [b](C:/x/y.md) [c](a.md?raw=1)")).toEqual([
      "100%.md",
      "C:/x/y.md",
      "a.md",
    ]);
  });
});

describe("relations", () => {
  function relationsOf(text: string) {
    return markdownParser.parse(text).links.map(({ name, relation }) => [name, relation]);
  }

  it("are the fields of the front matter", () => {
    const text = '---\ndepends_on: "[[a]]"\nparts:\n  - "[[b]]"\ntitle: "On [[c]]"\n---\n';

    expect(relationsOf(text)).toEqual([
      ["a", "depends_on"],
      ["b", "parts"],
      ["c", undefined],
    ]);
  });

  it("are inline fields", () => {
    expect(relationsOf("parent:: [[a]], [[b]]\n\n- part-of:: [[c]]\n")).toEqual([
      ["a", "parent"],
      ["b", "parent"],
      ["c", "part-of"],
    ]);
  });

  it("are words with an underscore at the start of a list item", () => {
    expect(relationsOf("- depends_on [[a]] and [[b]]\n* see_also [[c]]\n")).toEqual([
      ["a", "depends_on"],
      ["b", undefined],
      ["c", "see_also"],
    ]);
  });

  it("are single words under the heading Relations", () => {
    const text =
      "## Relations\n- implements [[a]]\n- in part [[b]]\n\n## Other\n- implements [[c]]\n";

    expect(relationsOf(text)).toEqual([
      ["a", "implements"],
      ["b", undefined],
      ["c", undefined],
    ]);
  });

  it.each(["- See [[a]]", "see_also [[a]]", "note: [[a]]", "- a depends_on [[a]]", "x:: y [[a]]"])(
    "are not inferred from prose: %s",
    (text) => {
      expect(relationsOf(text)).toEqual([["a", undefined]]);
    },
  );
});
