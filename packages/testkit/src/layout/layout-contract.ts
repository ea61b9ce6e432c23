// The tests are data here: the laws assert.
/* oxlint-disable vitest/expect-expect, vitest/valid-title */
import type { Layout } from "@self-context-manager/core";
import { describe, it } from "vitest";

import { testScale } from "../scale.ts";
import { type LayoutLaw, layoutLaws } from "./layout-laws.ts";

export interface LayoutContract {
  readonly name: string;
  readonly layout: Layout;
}

/** Registers one test for each law of `Layout`, named by the law's key. */
export function layoutContract({ name, layout }: LayoutContract): void {
  const trial = { numRuns: testScale.isLong ? 20_000 : 300, seed: testScale.seed };
  describe(`layout ${name}`, () => {
    for (const law of Object.keys(layoutLaws) as LayoutLaw[]) {
      it(law, { timeout: testScale.isLong ? 900_000 : 60_000 }, () => {
        layoutLaws[law](layout, trial);
      });
    }
  });
}
