import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const page = readFileSync(
  join(import.meta.dirname, "..", "..", "docs", "architecture", "vocabulary.md"),
  "utf8",
);
const path = [...page.matchAll(/^\d+\. \*\*([^*]+)\*\*: (.*)$/gmu)];
const rows = [...page.matchAll(/^\| \*\*([^*]+)\*\*/gmu)].flatMap(([, terms = ""]) =>
  terms.split(", "),
);

it("begins with at most twenty terms, each of which is in one table", () => {
  const terms = path.map(([, term = ""]) => term);

  expect(terms.length).toBeGreaterThan(0);
  expect(terms.length).toBeLessThanOrEqual(20);
  expect(terms.filter((term) => !rows.includes(term))).toEqual([]);
});

it("explains no term of the path by a later one", () => {
  const early = path.flatMap(([, term = "", sentence = ""], at) =>
    path
      .slice(at + 1)
      .map(([, later = ""]) => later)
      .filter((later) => new RegExp(`\\b${later}s?\\b`, "iu").test(sentence))
      .map((later) => `${term}: ${later}`),
  );

  expect(early).toEqual([]);
});

it("defines each term once", () => {
  expect(rows.filter((term, at) => rows.indexOf(term) !== at)).toEqual([]);
});
