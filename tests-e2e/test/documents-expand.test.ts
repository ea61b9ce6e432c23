import { select } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

import { expandTests } from "../src/documents/expand-tests.ts";
import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

// The same tests run on XTDB in `stores-xtdb.test.ts`, which has a node.
describe.each([
  { name: "memory", createPlace: memoryPlace },
  { name: "sqlite", createPlace: sqlitePlace },
])("expanding references (§9): $name", ({ createPlace }) => {
  expandTests(createPlace);
});

describe("selecting values (§9)", () => {
  const object = {
    turns: [
      { user: "a", steps: [{ toolcall_ids: ["1", "2"] }, { toolcall_ids: ["3"] }] },
      { user: "b", steps: [] },
    ],
    "a.b": 1,
    ref: { ref: "dynamic", id: "x" },
  };

  it.each([
    ["turns[*].steps[*].toolcall_ids[*]", ["1", "2", "3"]],
    ["turns[1].user", ["b"]],
    ["turns[*].user", ["a", "b"]],
    ["/turns/0/steps/1/toolcall_ids/0", ["3"]],
    ["/a.b", [1]],
    ["turns[7].user", []],
    ["nothing.there", []],
  ])("%s", (pattern, values) => {
    expect(select(object, pattern).map(({ value }) => value)).toEqual(values);
  });

  it("says which values are references", () => {
    expect(select(object, "*").flatMap(({ reference }) => reference ?? [])).toEqual([
      { ref: "dynamic", id: "x" },
    ]);
  });

  it.each(["turns[", "a..b", "[x]", "a]"])("refuses %s", (pattern) => {
    expect(() => select(object, pattern)).toThrow("write fields and items like turns[*].user");
  });
});
