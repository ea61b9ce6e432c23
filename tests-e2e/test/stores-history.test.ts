import { memoryStore } from "@self-context-manager/store-memory";
import { checkRandomHistories, testScale } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

import { sqlitePlace } from "../src/stores/places.ts";

const runs = testScale.isLong ? 3000 : 30;
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
