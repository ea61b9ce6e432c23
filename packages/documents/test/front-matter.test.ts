import { describe, expect, it } from "vitest";

// @boundaries-ignore Several packages compare times in this way.
import { growth, linear } from "../../../tools/growth.ts";
import { markdownParser } from "../src/index.ts";

describe("front matter", () => {
  it("has the fields of its YAML", () => {
    const text = '---\ntitle: Plan\ndate: 2026-01-31\ndraft: no\nparts: [1, "b"]\n---\n# Plan\n';

    expect(markdownParser.parse(text).front_matter).toEqual({
      state: "valid",
      fields: { title: "Plan", date: "2026-01-31", draft: "no", parts: [1, "b"] },
    });
  });

  it.each([
    ["no line of dashes", "title: Plan\n"],
    ["a rule further down", "# Plan\n\n---\ntitle: x\n---\n"],
    ["nothing that closes it", "---\ntitle: Plan\n"],
  ])("is absent with %s", (_, text) => {
    expect(markdownParser.parse(text).front_matter).toEqual({ state: "absent" });
  });

  it("can be empty, and can end with CRLF", () => {
    expect(markdownParser.parse("---\n---\n").front_matter).toEqual({ state: "valid", fields: {} });
    expect(markdownParser.parse("---\r\na: 1\r\n---\r\n[[x]]")).toMatchObject({
      front_matter: { fields: { a: 1 } },
      links: [{ name: "x", range: [16, 21] }],
    });
  });

  it.each([
    ["---\na: 1\nb: [\n---\n", 3],
    ["---\ndate: {{date}}\n---\n", 2],
    ["---\na: 1\na: 2\n---\n", 3],
    ["---\n\ta: 1\n---\n", 2],
    ["---\n- a\n---\n", 2],
    ["---\n<% tp.date %>\n---\n", 2],
  ])("that is invalid is named with its line, and the body is read: %j", (start, line) => {
    const { front_matter, links } = markdownParser.parse(`${start}[[x]] #tag\n`);

    expect(front_matter).toMatchObject({ state: "invalid", line });
    expect(links).toMatchObject([{ name: "x", path: "content" }]);
  });

  it.each([
    ["an alias of nothing", "author: *Jane", 3],
    ["a tab", "\tauthor: Jane", 3],
    ["a double key", "title: A plan", 5],
    ["a second colon", "author: Jane: me", 3],
    ["an open quotation mark", 'author: "Jane', 3],
    ["an open bracket", "author: [Jane", 3],
    ["a reserved character", "author: @jane", 3],
    ["a template", "author: {{name}}", 3],
    ["no key", "Jane", 3],
  ])("with a bad line keeps its other lines: %s", (_, bad, line) => {
    const text = `---\ntags: [a, "b/c"]\n${bad}\nalias: Plan B\ntitle: Plan\nup: "[[goal]]"\n---\n#d\n`;
    const lines = bad.startsWith("title")
      ? text.replace(`${bad}\n`, "").replace("up:", `${bad}\nup:`)
      : text;
    const parsed = markdownParser.parse(lines);

    expect(parsed.front_matter).toMatchObject({
      state: "invalid",
      line,
      fields: { alias: "Plan B", title: "Plan", up: "[[goal]]" },
    });
    expect(parsed.tags.map(({ tag, range }) => [tag, lines.slice(...range)])).toEqual([
      ["a", "a"],
      ["b/c", "b/c"],
      ["d", "#d"],
    ]);
    expect(parsed.aliases).toEqual(["Plan B"]);
    expect(parsed.links.map(({ relation, range }) => [relation, lines.slice(...range)])).toEqual([
      ["up", "[[goal]]"],
    ]);
  });

  it.each([
    ["tags:\n- a\n- b: c: d\n- e", ["a"]],
    ["tags:\n\t- a\n\t- b", ["a", "b"]],
    ["tags: [a, b", ["a", "b"]],
    ["tags: [\n  a,\n  b\n  ]\nx: *y", ["a", "b"]],
    ['"tags": [a]\nx: *y', ["a"]],
    ["tags: [a]\ntags: [b]", ["a", "b"]],
  ])("has tags with an error among or behind them: %j", (yaml, tags) => {
    const found = markdownParser.parse(`---\n${yaml}\n---\n`);

    expect(found.front_matter.state).toBe("invalid");
    expect(found.tags.map(({ tag }) => tag)).toEqual(expect.arrayContaining(tags));
  });

  it("with a bad line and very many fields costs time in proportion to its length", () => {
    const parse = (count: number): unknown =>
      markdownParser.parse(`---\nx: *y\n${"a:\n".repeat(count)}---\n`);

    expect(growth(parse, 5_000)).toBeLessThan(linear);
  });

  it("has aliases", () => {
    expect(markdownParser.parse("---\naliases: [B plan, Plan B, B plan]\n---\n").aliases).toEqual([
      "B plan",
      "Plan B",
    ]);
    expect(markdownParser.parse("---\nalias: B plan\n---\n").aliases).toEqual(["B plan"]);
  });

  it("has links, with and without quotes, with their pointers", () => {
    const text =
      '---\nup: [[a]]\nrelated:\n  - "[[b|B]]"\n  - [[c]]\ndeep:\n  x/y: "see [[d]]"\n---\n';
    const { links } = markdownParser.parse(text);

    expect(links.map(({ path, range }) => [path, text.slice(...range)])).toEqual([
      ["/front_matter/up", "[[a]]"],
      ["/front_matter/related/0", "[[b|B]]"],
      ["/front_matter/related/1", "[[c]]"],
      ["/front_matter/deep/x~1y", "[[d]]"],
    ]);
  });

  it.each([
    ["tags: [a, b/c]", ["a", "b/c"]],
    ["tags: a, '#b'", ["a", "b"]],
    ["tags:\n  - a\n  - 12\n  - c.d", ["a", "c.d"]],
    ["tag: a b", ["a", "b"]],
    ["tags:", []],
  ])("has tags: %j", (yaml, tags) => {
    const text = `---\n${yaml}\n---\n`;
    const found = markdownParser.parse(text).tags;

    expect(found.map(({ tag }) => tag)).toEqual(tags);
  });

  it("keeps the field __proto__, and stops at YAML that grows without end", () => {
    const own = markdownParser.parse("---\n__proto__: { a: 1 }\n---\n").front_matter;

    expect(JSON.stringify(own)).toContain('"__proto__":{"a":1}');

    const bomb = `---\na: &a [x]\n${Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? "a" : `b${i - 1}`}, `.repeat(9)}x]`).join("\n")}\n---\n[[x]]`;

    expect(markdownParser.parse(bomb)).toMatchObject({
      front_matter: { state: "invalid" },
      links: [{ name: "x" }],
    });
  });
});
