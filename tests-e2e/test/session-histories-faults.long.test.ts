import { testScale } from "@self-context-manager/store-contract";
import { checkSessionHistories, sessionsWith } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { historyFaults } from "../src/session/history-faults.ts";
import { keptMemoryPlace } from "../src/session/history-places.ts";

const timeout = testScale.isLong ? 3_600_000 : 240_000;

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
