import { expect, it } from "vitest";
import { boundedMap } from "../../src/store-kit/bounded-map.ts";

it("keeps the entries that were set last, and reports each one that it removes", () => {
  const removed: [string, number][] = [];
  const map = boundedMap<string, number>(2, (...entry) => removed.push(entry));

  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);

  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
  expect(removed).toEqual([["b", 2]]);
});
