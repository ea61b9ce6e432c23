// The tests are data here: the laws contain the assertions.
/* oxlint-disable vitest/expect-expect, vitest/valid-title */
import type { Layout } from "@self-context-manager/core";
import { describe, it } from "vitest";

import { runsEveryForm, testScale } from "@self-context-manager/store-contract";
import { type EpochLaw, epochLaws, type EpochSubject } from "./epoch-laws.ts";
import { type LayoutLaw, layoutLaws } from "./layout-laws.ts";
import { type PoolLaw, poolLaws } from "./pool-laws.ts";

/** How many sessions each law tries: in a long run, in `npm test` if core has changed, and otherwise. */
function sessionsOfLaw(): number {
  if (testScale.isLong) return 1_000;
  return runsEveryForm("core") ? 40 : 20;
}

export interface LayoutContract {
  readonly name: string;
  readonly layout: Layout;
  /** For a layout with epochs: the subject of the additional laws. */
  readonly epochs?: EpochSubject;
  /** Whether the views of the layout begin with a list of the known objects. Default: false. */
  readonly hasPool?: boolean;
}

/** Registers one test for each law of `Layout`, named by the law's key. */
export function layoutContract({ name, layout, epochs, hasPool = false }: LayoutContract): void {
  const trial = { numRuns: sessionsOfLaw(), seed: testScale.seed };
  const timeout = testScale.isLong ? 1_800_000 : 120_000;
  describe(`layout ${name}`, () => {
    for (const law of Object.keys(layoutLaws) as LayoutLaw[])
      it(law, { timeout }, () => layoutLaws[law](layout, trial));
    const ofPool = hasPool ? (Object.keys(poolLaws) as PoolLaw[]) : [];
    for (const law of ofPool) it(law, { timeout }, () => poolLaws[law](layout, trial));
    if (epochs === undefined) return;
    for (const law of Object.keys(epochLaws) as EpochLaw[])
      it(law, { timeout }, () => epochLaws[law](epochs, trial));
  });
}
