import { testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { foreignFaults } from "../src/foreign/foreign-faults.ts";
import { foreignSession } from "../src/foreign/foreign-session.ts";
import { problemsOf } from "../src/foreign/play-foreign.ts";

const { isLong, seed } = testScale;
/** A fault that is there is found by so many sessions. */
const enough = 300;
const timeout = isLong ? 3_600_000 : 240_000;

describe("a check of sessions beside other extensions detects an adapter that", () => {
  it.each(Object.entries(foreignFaults))("%s", { timeout }, async (_, { breaking, says }) => {
    const broken = fc.asyncProperty(foreignSession, async (session) => {
      expect(await problemsOf(session, breaking)).toEqual([]);
    });

    const { counterexample } = await fc.check(broken, {
      numRuns: enough,
      seed,
      endOnFailure: true,
    });

    const [session] = counterexample ?? [];
    expect(session).toBeDefined();
    const problems = session === undefined ? [] : await problemsOf(session, breaking);
    expect(problems.join("\n")).toMatch(says);
  });
});
