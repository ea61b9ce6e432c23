import { testScale } from "@self-context-manager/store-contract";
import { checkScope } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { scopeFaults } from "../src/scope/scope-faults.ts";
import { indexedStore } from "../src/scope/scope-stores.ts";
import { memoryPlace } from "../src/stores/places.ts";

const timeout = testScale.isLong ? 3_600_000 : 240_000;

describe("the check of the law scope detects a session that", () => {
  it.each(Object.entries(scopeFaults))("%s", { timeout }, async (_, { openSession, says }) => {
    await expect(
      checkScope({ openStore: indexedStore(memoryPlace), openSession, runs: 200 }),
    ).rejects.toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(says) }),
      }),
    );
  });
});
