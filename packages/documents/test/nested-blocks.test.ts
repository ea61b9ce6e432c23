import { expect, it, test } from "vitest";

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
  "250 kB of %j take little time",
  (unit) => {
    const start = performance.now();

    markdownParser.parse(`${unit.repeat(250_000 / unit.length)}a`);

    expect(performance.now() - start).toBeLessThan(2_000);
  },
);
