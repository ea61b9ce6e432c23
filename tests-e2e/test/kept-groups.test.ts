import { testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { checkKeptGroups, listMove } from "../src/session/kept-groups.ts";

/** Changes of one list. Long lists have several groups of messages. */
const movesOfCase = 40;
const runs = caseCount({ long: 1_250, changed: 8, unchanged: 4 }, ["core", "objects"]);
const timeout = testScale.isLong ? 14_400_000 : 240_000;

describe(`a session whose host changes its list (SCM_SEED=${testScale.seed})`, () => {
  it(
    "has the views and the stored state of one that computes everything from the start",
    { timeout },
    async () => {
      const moves = fc.array(listMove, { minLength: movesOfCase, maxLength: movesOfCase });
      const window = fc.constantFrom(undefined, 3_000);

      await expect(
        fc.assert(
          fc.asyncProperty(moves, window, async (...given) => await checkKeptGroups(...given)),
          {
            numRuns: runs,
            seed: testScale.seed,
            endOnFailure: true,
          },
        ),
      ).resolves.toBeUndefined();
    },
  );
});
