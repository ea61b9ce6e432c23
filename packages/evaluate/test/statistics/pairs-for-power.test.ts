import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { nonInferiority, pairedDifference } from "../../src/statistics/paired-difference.ts";
import { pairsForPower } from "../../src/statistics/pairs-for-power.ts";
import { randomNumbers } from "../../src/statistics/random-numbers.ts";

const usual = { margin: 0.05, alpha: 0.025, power: 0.8 };

/** The share of simulated evaluations in which non-inferiority is shown. */
function simulatedPower(
  pairs: number,
  { discordance, difference }: { readonly discordance: number; readonly difference: number },
): number {
  const random = randomNumbers(11);
  const experiments = 3000;
  let shown = 0;
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    let onlyFirst = 0;
    let onlySecond = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      const drawn = random();
      if (drawn < (discordance + difference) / 2) onlyFirst += 1;
      else if (drawn < discordance) onlySecond += 1;
    }
    const interval = pairedDifference({ pairs, onlyFirst, onlySecond }, 0.95);
    if (interval !== undefined && nonInferiority(interval, usual.margin) === "shown") shown += 1;
  }
  return shown / experiments;
}

describe("the number of pairs for a power", () => {
  test.each([
    { discordance: 0.1, difference: 0 },
    { discordance: 0.2, difference: 0 },
    { discordance: 0.1, difference: 0.03 },
  ])("gives that power in simulated evaluations with %o", (truth) => {
    const pairs = pairsForPower({ ...usual, ...truth }) ?? 0;

    expect(Math.abs(simulatedPower(pairs, truth) - 0.8)).toBeLessThan(0.03);
  });

  test("is about (1.96 + 0.84)² times the discordance by the margin squared", () => {
    const pairs = pairsForPower({ ...usual, discordance: 0.2 }) ?? 0;

    expect(pairs / ((2.8016 ** 2 * 0.2) / 0.05 ** 2)).toBeCloseTo(1, 1);
  });

  test("rises with discordance and power, and falls with the margin", () => {
    const share = fc.double({ min: 0.01, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(share, fc.double({ min: 0.02, max: 0.2, noNaN: true }), (discordance, margin) => {
        const pairs = pairsForPower({ ...usual, discordance, margin }) ?? 0;

        expect(
          pairsForPower({ ...usual, discordance: discordance * 1.1, margin }),
        ).toBeGreaterThanOrEqual(pairs);
        expect(pairsForPower({ ...usual, discordance, margin, power: 0.9 })).toBeGreaterThan(pairs);
        expect(pairsForPower({ ...usual, discordance, margin: margin * 1.2 })).toBeLessThan(pairs);
      }),
    );
  });

  test("exists without any discordance, because a rare loss is possible then too", () => {
    // Without a discordant pair the lower bound is -z² / (n + z²).
    const pairs = pairsForPower({ ...usual, discordance: 0 }) ?? 0;

    expect(pairedDifference({ pairs, onlyFirst: 0, onlySecond: 0 }, 0.95)?.lower).toBeGreaterThan(
      -0.052,
    );
  });

  test("does not exist if the true loss is the margin or more", () => {
    expect(pairsForPower({ ...usual, discordance: 0.2, difference: -0.05 })).toBeUndefined();
  });
});
