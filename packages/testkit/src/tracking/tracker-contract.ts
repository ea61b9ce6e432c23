// The tests are data here. The run decides how many rounds there are, and the scenarios contain the assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/valid-title */
import { describe, it } from "vitest";

import { inRounds, testScale } from "@self-context-manager/store-contract";
import { type TrackerLaw, trackerLaws } from "./laws.ts";
import type { TrackerParts } from "./observed-tracker.ts";

export interface FileTrackerContract extends TrackerParts {
  readonly name: string;
  /** How often a long run tests each law. Default: 50. */
  readonly rounds?: number;
}

/** Registers one test for each law of `FileTracker` over a watcher, a store and a file source. */
export function fileTrackerContract({ name, rounds, ...parts }: FileTrackerContract): void {
  const timeout = testScale.isLong ? 3_600_000 : 60_000;
  describe(`file tracker over ${name}`, () => {
    for (const law of Object.keys(trackerLaws) as TrackerLaw[]) {
      const test = async (): Promise<void> =>
        await inRounds(async () => await trackerLaws[law](parts), rounds);
      // A scenario mostly waits, so scenarios can run at once. This law must run by itself: it changes the user of
      // the process.
      const concurrent = testScale.isLong && law !== "unreadable-keeps-the-last";
      it(law, { timeout, concurrent }, test);
    }
  });
}
