import { testScale } from "@self-context-manager/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { foreignFaults } from "../src/foreign/foreign-faults.ts";
import type { ForeignBreaking } from "../src/foreign/foreign-host.ts";
import { foreignSession } from "../src/foreign/foreign-session.ts";
import { playForeign } from "../src/foreign/play-foreign.ts";

const { isLong, seed } = testScale;
const usualRuns = 300;
const timeout = isLong ? 3_600_000 : 120_000;

async function check(numRuns: number, breaking?: ForeignBreaking): Promise<void> {
  await fc.assert(
    fc.asyncProperty(foreignSession, async (session) => await playForeign(session, breaking)),
    { numRuns, seed, endOnFailure: breaking !== undefined },
  );
}

describe("a session beside any other extension", () => {
  it(
    `shows of a result only what a request had of it (SCM_SEED=${seed})`,
    { timeout },
    async () => {
      await check(isLong ? 10_000 : usualRuns);
    },
  );
});

describe("a check of sessions beside other extensions detects an adapter that", () => {
  it.each(Object.entries(foreignFaults))("%s", { timeout }, async (_, { breaking, says }) => {
    await expect(check(usualRuns, breaking)).rejects.toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(says) }),
      }),
    );
  });
});
