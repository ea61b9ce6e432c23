import { testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { bestSchedule, onlineSchedule, type ShortSession } from "../src/epochs/schedules.ts";

/** All schedules of a session are tried, twice as many with each call. */
const mostCalls = caseCount({ long: 12, changed: 7, unchanged: 6 });
const numRuns = caseCount({ long: 10, changed: 4, unchanged: 2 });
const timeout = testScale.isLong ? 600_000 : 240_000;

/**
 * The bound of the rule. The sessions of the short run are always the same. In them reading from the cache is dear, so
 * that an end is worth it within a few calls: a rule that never ends an epoch reaches 2.
 */
const mostOverBest = testScale.isLong ? 2 : 1.5;

const session: fc.Arbitrary<ShortSession> = fc.record({
  calls: fc.array(
    fc.record({ size: fc.integer({ min: 130, max: 3_500 }), isTurnStart: fc.boolean() }),
    { minLength: testScale.isLong ? 4 : mostCalls, maxLength: mostCalls },
  ),
  read: testScale.isLong ? fc.constantFrom(0.025, 0.1, 0.25, 0.5) : fc.constantFrom(0.25, 0.5),
  write: fc.constantFrom(1, 1.25),
});

/**
 * The rule does not know the rest of a session. A rule that ends an epoch when the carried cost reaches the rewrite
 * cost costs at most twice the best schedule in hindsight. The context manager's rule ends epochs later, because a text
 * that stays is there if it is needed again.
 */
test("the online rule costs at most twice the best of all schedules", { timeout }, async () => {
  let worst = 1;
  await fc.assert(
    fc.asyncProperty(session, async (one) => {
      const [online, best] = [await onlineSchedule(one), await bestSchedule(one)];
      worst = Math.max(worst, online.cost / best.cost);

      expect(best.cost).toBeLessThanOrEqual(online.cost + 1e-6);
      expect(online.cost / best.cost).toBeLessThanOrEqual(mostOverBest);
    }),
    { numRuns, seed: testScale.seed },
  );
  process.stderr.write(`epochs: at worst ${worst.toFixed(3)} of the best schedule\n`);
});
