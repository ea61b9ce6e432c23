import { type LawName, objectStoreLaws } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { faults } from "../src/stores/faults.ts";

const laws = Object.keys(objectStoreLaws) as LawName[];
const timeout = 120_000;

it("has a fault for every law of ObjectStore", () => {
  const without = laws.filter((law) => Object.keys(faults[law] ?? {}).length === 0);

  expect(without).toEqual([]);
  expect(Object.keys(faults).toSorted()).toEqual(laws.toSorted());
});

describe.each(laws)("%s", (law) => {
  it.each(Object.entries(faults[law]))(
    "is broken by a store that %s",
    { timeout },
    async (_, createPlace) => {
      const broken = await objectStoreLaws[law](createPlace).then(
        () => undefined,
        (error: unknown) => error,
      );

      expect(broken).toBeInstanceOf(Error);
    },
  );
});
