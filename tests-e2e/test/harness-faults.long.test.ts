import {
  harnessContract,
  type HarnessLaw,
  harnessLaws,
  type HostSettings,
  type OpenHost,
  scriptedHarnessAdapter,
} from "@self-context-manager/testkit";
import { AssertionError } from "node:assert/strict";
import { describe, expect, it } from "vitest";

import { harnessFaults } from "../src/harness/faults.ts";
import { scriptedHost } from "../src/harness/scripted-host.ts";
import { scriptedLawFaults, scriptedLaws } from "../src/harness/scripted-laws.ts";

const laws = Object.keys(harnessLaws) as HarnessLaw[];

it("has a fault for every law of HarnessAdapter", () => {
  const without = laws.filter((law) => Object.keys(harnessFaults[law] ?? {}).length === 0);

  expect(without).toEqual([]);
  expect(Object.keys(harnessFaults).toSorted()).toEqual(laws.toSorted());
});

it("refuses a known gap that is not a law", () => {
  const { supports } = scriptedHarnessAdapter;
  const knownGaps = Object.fromEntries([["no-such-law", "a reason"]]);

  expect(() =>
    harnessContract({ name: "scripted", supports, knownGaps, openHost: scriptedHost() }),
  ).toThrow(new TypeError("knownGaps of scripted names no-such-law, which is not a law"));
});

const allSettings: readonly HostSettings[] = ["defaults", "specification", "pooled"];

describe.each(allSettings.flatMap((settings) => laws.map((law) => ({ law, settings }))))(
  "$law, settings: $settings",
  ({ law, settings }) => {
    const withSettings =
      (openHost: OpenHost): OpenHost =>
      async (options) =>
        await openHost({ ...options, settings });

    it.each(Object.entries(harnessFaults[law]))(
      "is broken by an adapter that %s",
      async (_, openHost) => {
        const broken = await harnessLaws[law](withSettings(openHost)).then(
          () => undefined,
          (error: unknown) => error,
        );

        // Any other error would be a fault of the host or the scenario.
        expect(broken).toBeInstanceOf(AssertionError);
      },
    );
  },
);

describe.each(Object.entries(scriptedLaws))("%s", (name, law) => {
  it.each(Object.entries(scriptedLawFaults[name] ?? {}))(
    "is broken by an adapter that %s",
    async (_, options) => {
      await expect(law(options, "defaults")).rejects.toBeInstanceOf(AssertionError);
    },
  );
});
