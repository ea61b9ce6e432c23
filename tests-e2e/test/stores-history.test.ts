import { memoryStore } from "@self-context-manager/store-memory";
import { checkRandomHistories, testScale } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const runs = caseCount({ long: 3_000, changed: 30, unchanged: 15 }, ["store-sqlite"]);
const timeout = testScale.isLong ? 3_600_000 : 240_000;

it(
  `gives the same answers as the memory store after any history (SCM_SEED=${testScale.seed})`,
  { timeout },
  async () => {
    await expect(
      checkRandomHistories({
        createPlace: sqlitePlace,
        createOracle: (clock) => memoryStore({ clock }),
        runs,
      }),
    ).resolves.toBeGreaterThan(runs);
  },
);
