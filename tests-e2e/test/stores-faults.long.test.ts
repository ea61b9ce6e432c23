import {
  lawNeeds,
  type LawName,
  objectStoreLaws,
  testScale,
} from "@self-context-manager/store-contract";
import { describe, expect, it } from "vitest";

import { faults } from "../src/stores/faults.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const laws = Object.keys(objectStoreLaws) as LawName[];
const timeout = testScale.isLong ? 3_600_000 : 240_000;

it("has a fault for every law of ObjectStore", () => {
  const without = laws.filter((law) => Object.keys(faults[law] ?? {}).length === 0);

  expect(without).toEqual([]);
  expect(Object.keys(faults).toSorted()).toEqual(laws.toSorted());
});

// The faults of these laws run in a program of tests-e2e. A fault counts as found only if the sound program passes.
it.each(laws.filter((law) => lawNeeds[law] !== undefined))(
  "%s holds in a sound store that the same program opens",
  { timeout },
  async (law) => {
    await expect(objectStoreLaws[law](sqlitePlace)).resolves.toBeUndefined();
  },
);

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
