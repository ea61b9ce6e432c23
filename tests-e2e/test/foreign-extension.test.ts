import { testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { foreignSession } from "../src/foreign/foreign-session.ts";
import { problemsOf } from "../src/foreign/play-foreign.ts";

const { isLong, seed } = testScale;
const timeout = isLong ? 3_600_000 : 240_000;

describe("a session beside any other extension", () => {
  it(
    `shows of a result only what a request had of it (SCM_SEED=${seed})`,
    { timeout },
    async () => {
      await fc.assert(
        fc.asyncProperty(foreignSession, async (session) => {
          expect(await problemsOf(session)).toEqual([]);
        }),
        { numRuns: isLong ? 10_000 : 30, seed },
      );
    },
  );
});
