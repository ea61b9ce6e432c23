import { memoryStore } from "@self-context-manager/store-memory";
import { checkRandomHistories, testScale } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

const runs = testScale.isLong ? 3000 : 60;
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

it("detects a store that differs in one answer", async () => {
  const createPlace: typeof memoryPlace = async () => {
    const place = await memoryPlace();
    return {
      ...place,
      async open(options) {
        const store = await place.open(options);
        return {
          ...store,
          history: async (id, asked) => (await store.history(id, asked)).slice(0, 2),
        };
      },
    };
  };

  await expect(
    checkRandomHistories({
      createPlace,
      createOracle: (clock) => memoryStore({ clock }),
      runs: 200,
    }),
  ).rejects.toThrow(/history/);
});
