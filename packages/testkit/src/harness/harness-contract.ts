// The tests are data here. The declared capabilities decide which tests exist, and the scenarios contain the
// assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/no-disabled-tests, vitest/valid-title */
import type { HarnessSupports } from "@self-context-manager/core/host";
import { describe, it } from "vitest";

import type { HarnessHost, HarnessScenario, HostSettings, OpenHost } from "./harness-host.ts";
import { type HarnessLaw, harnessLawNeeds, harnessLaws } from "./laws.ts";

export interface HarnessContract {
  readonly name: string;
  readonly supports: HarnessSupports;
  /** Laws that the adapter is known to break, with the reason. The run fails when such a law holds again. */
  readonly knownGaps?: Readonly<Partial<Record<HarnessLaw, string>>>;
  readonly openHost: OpenHost;
  /** The settings of the sessions. Default: those that users get. */
  readonly settings?: HostSettings;
  /** Milliseconds that a law may take. It opens a host two or three times. Default: 60,000. */
  readonly timeout?: number;
}

/**
 * Tests a law. If it is broken, the error has what the adapter notified the user of: a failure inside the adapter is often
 * the cause, and shows nowhere else.
 */
export async function withNotices(scenario: HarnessScenario, openHost: OpenHost): Promise<void> {
  const hosts: HarnessHost[] = [];
  try {
    await scenario(async (options) => {
      const host = await openHost(options);
      hosts.push(host);
      return host;
    });
  } catch (error) {
    const notices = [...new Set(hosts.flatMap((host) => host.notices))];
    if (!(error instanceof Error) || notices.length === 0) throw error;
    const lines = notices.map((notice) => `- ${notice}`).join("\n");
    throw new Error(`${error.message}\n\nThe adapter notified the user:\n${lines}`, {
      cause: error,
    });
  }
}

/** Registers one test for each law of `HarnessAdapter`, named by the law's key. */
export function harnessContract({
  name,
  supports,
  knownGaps = {},
  openHost,
  settings = "defaults",
  timeout = 60_000,
}: HarnessContract): void {
  for (const law of Object.keys(knownGaps)) {
    if (!Object.hasOwn(harnessLaws, law))
      throw new TypeError(`knownGaps of ${name} names ${law}, which is not a law`);
  }
  const open: OpenHost = async (options) => await openHost({ ...options, settings });
  describe(`harness ${name}, settings: ${settings}`, () => {
    for (const law of Object.keys(harnessLaws) as HarnessLaw[]) {
      const missing = harnessLawNeeds[law].filter((need) => !supports[need]);
      const scenario = harnessLaws[law];
      const gap = knownGaps[law];
      if (missing.length > 0) {
        it.skip(`${law} (declared: no ${missing.join(", ")})`, () => undefined);
      } else if (gap === undefined) {
        it(law, { timeout }, async () => await withNotices(scenario, open));
      } else {
        it.fails(`${law} (known gap: ${gap})`, { timeout }, () => scenario(open));
      }
    }
  });
}
