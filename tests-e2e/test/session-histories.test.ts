import { layoutKinds } from "@self-context-manager/compose";
import { checkSessionHistories, testScale } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { historyFaults } from "../src/session/history-faults.ts";
import { keptMemoryPlace, sessionsWith } from "../src/session/history-places.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const runs = testScale.isLong ? 5_000 : 300;
const timeout = testScale.isLong ? 3_600_000 : 180_000;

describe.each([
  ["memory", keptMemoryPlace, "epoch"],
  ["memory", keptMemoryPlace, "pooled"],
  ["sqlite", sqlitePlace, layoutKinds[0]],
] as const)("sessions on the %s store", (_, createPlace, layout) => {
  it(
    `survive any history of their host in the ${layout} layout (SCM_SEED=${testScale.seed})`,
    { timeout },
    async () => {
      await expect(
        checkSessionHistories({ createPlace, openSession: sessionsWith(layout), runs }),
      ).resolves.toBeUndefined();
    },
  );
});

describe("a check of histories detects a session that", () => {
  it.each(Object.entries(historyFaults))("%s", { timeout }, async (_, fault) => {
    const { says, ...parts } = { openSession: sessionsWith(), ...fault };

    await expect(
      checkSessionHistories({ createPlace: keptMemoryPlace, runs: 300, ...parts }),
    ).rejects.toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(says) }),
      }),
    );
  });
});
