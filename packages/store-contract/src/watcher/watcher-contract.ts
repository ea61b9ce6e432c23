// The tests are data here. The run decides how many rounds there are, and the scenarios contain the assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/valid-title */
import { describe, it } from "vitest";

import { testScale } from "../scale.ts";
import { inRounds } from "./in-rounds.ts";
import { type WatcherLaw, watcherLaws } from "./laws.ts";
import type { OpenWatcher } from "./watcher-place.ts";

export interface WatcherContract {
  readonly name: string;
  /** Laws that the watcher is known to break, with the reason. The run fails when such a law holds again. */
  readonly knownGaps?: Readonly<Partial<Record<WatcherLaw, string>>>;
  readonly openWatcher: OpenWatcher;
}

/**
 * Laws that must run by themselves. A scenario mostly waits, so other laws run at once. A burst fills the process's
 * event queue, and the test of permissions changes the user of the process.
 */
const alone: ReadonlySet<WatcherLaw> = new Set(["burst-is-complete", "permissions-are-reported"]);

/** Registers one test for each law of `Watcher`, named by the law's key. */
export function watcherContract({ name, knownGaps = {}, openWatcher }: WatcherContract): void {
  for (const law of Object.keys(knownGaps)) {
    if (!Object.hasOwn(watcherLaws, law))
      throw new TypeError(`knownGaps of ${name} names ${law}, which is not a law`);
  }
  const timeout = testScale.isLong ? 3_600_000 : 60_000;
  describe(`watcher ${name}`, () => {
    for (const law of Object.keys(watcherLaws) as WatcherLaw[]) {
      const gap = knownGaps[law];
      const test = async (): Promise<void> =>
        await inRounds(async (round) => await watcherLaws[law](openWatcher, { round }));
      const concurrent = testScale.isLong && !alone.has(law);
      if (gap === undefined) it(law, { timeout, concurrent }, test);
      else it.fails(`${law} (known gap: ${gap})`, { timeout }, test);
    }
  });
}
