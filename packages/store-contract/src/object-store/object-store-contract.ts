// The tests are data here. The declared capabilities decide which tests exist, and the scenarios contain the
// assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/no-disabled-tests, vitest/valid-title */
import type { StoreSupports } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { describe, it } from "vitest";

import { testScale } from "../scale.ts";
import { lawNeeds, type LawName, objectStoreLaws } from "./laws.ts";
import type { CreatePlace } from "./store-place.ts";

export interface ObjectStoreContract {
  readonly name: string;
  readonly supports: StoreSupports;
  /** Laws that the store is known to break, with the reason. The run fails when such a law holds again. */
  readonly knownGaps?: Readonly<Partial<Record<LawName, string>>>;
  readonly createPlace: CreatePlace;
}

/** Milliseconds. Laws about processes start some dozens of processes, and hundreds in a long run. */
const timeout = testScale.isLong ? 3_600_000 : 120_000;

/** Registers one test for each law of `ObjectStore`, named by the law's key. */
export function objectStoreContract({
  name,
  supports,
  knownGaps = {},
  createPlace,
}: ObjectStoreContract): void {
  for (const law of Object.keys(knownGaps)) {
    if (!Object.hasOwn(objectStoreLaws, law))
      throw new TypeError(`knownGaps of ${name} names ${law}, which is not a law`);
  }
  describe(`object store ${name}`, () => {
    it("supports what it declares", async () => {
      await using place = await createPlace();
      await using store = await place.open();
      assert.equal(store.name, name);
      assert.deepEqual(store.supports, supports);
    });

    for (const law of Object.keys(objectStoreLaws) as LawName[]) {
      const need = lawNeeds[law];
      const scenario = objectStoreLaws[law];
      const gap = knownGaps[law];
      if (need !== undefined && !supports[need]) {
        it.skip(`${law} (declared: not ${need})`, () => undefined);
      } else if (gap === undefined) {
        it(law, { timeout }, () => scenario(createPlace));
      } else {
        it.fails(`${law} (known gap: ${gap})`, { timeout }, () => scenario(createPlace));
      }
    }
  });
}
