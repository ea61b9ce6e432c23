import { expect, it, test } from "vitest";

// @boundaries-ignore Several packages compare times in this way.
import { growth, linear } from "../../../tools/growth.ts";
import { markdownParser } from "../src/index.ts";
import { withoutDeepBlocks } from "../src/nested-blocks.ts";

it.each([
  ["text\n> - 1. [[a]]\n- - - - - - - - - - - - - - - - - - - -\n"],
  ["- ".repeat(15)],
  [""],
])("leaves %j as it is", (text) => {
  expect(withoutDeepBlocks(text)).toBe(text);
});

it("replaces what follows too many marks, and keeps all places", () => {
  const text = `[[a]]\n${"> ".repeat(18)}[[b]]\n[[c]]`;

  const made = withoutDeepBlocks(text);

  expect(made).toHaveLength(text.length);
  const { links } = markdownParser.parse(text);
  expect(links.map(({ name }) => name)).toEqual(["a", "c"]);
  for (const { range, raw } of links) expect(text.slice(...range)).toBe(`[[${raw}]]`);
});

test.each([">", "> ", "- ", "+ ", "1. ", ">- ", "-\t", "-\r", "> \n", `${"- ".repeat(16)}a\n`])(
  "%j takes time that grows with its length",
  (unit) => {
    const parse = (size: number) =>
      void markdownParser.parse(`${unit.repeat(size / unit.length)}a`);

    expect(growth(parse, 60_000)).toBeLessThan(linear);
  },
);
