import { memoryStore } from "@self-context-manager/store-memory";
import { checkRandomHistories } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

import { memoryPlace } from "../src/stores/places.ts";

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
