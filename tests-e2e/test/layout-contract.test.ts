import { epochLayout, type EpochSettings, pooledLayout } from "@self-context-manager/core";
import { epochLaws, layoutContract, layoutLaws, poolLaws } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { epochSubject } from "../src/layout/epoch-subject.ts";
import { epochFaults, layoutFaults, poolFaults } from "../src/layout/faults.ts";

/** Limits so small that a few words are trimmed, shown as diffs, and removed. */
const small: Partial<EpochSettings> = {
  small: 20,
  largeArguments: 60,
  replacedTexts: 0,
  otherArguments: { over: 60, age: 1 },
  earlierThinking: "leaves",
  trim: { over: 200, head: 60, tail: 30 },
};

const epochSettings: Readonly<Record<string, Partial<EpochSettings>>> = {
  epoch: {},
  "epoch, of small sizes": small,
  "epoch, that removes dead content at once": {
    ...small,
    deactivate: "immediate",
  },
  "epoch, that removes replaced content at once": { ...small, superseded: "at-once" },
  "epoch, plain": { ...small, trim: undefined, largeArguments: undefined },
};

layoutContract({ name: "pooled", layout: pooledLayout, hasPool: true });

for (const [name, settings] of Object.entries(epochSettings)) {
  layoutContract({ name, layout: epochLayout(settings), epochs: epochSubject(settings) });
}

const trial = { numRuns: 300, seed: 7, endOnFailure: true };

describe.each([pooledLayout, epochLayout(small)])("a broken $name layout is detected", (sound) => {
  const faults = layoutFaults(sound);

  it.each(faults)("by $law if it $what", ({ law, layout }) => {
    expect(() => layoutLaws[law](layout, trial)).toThrow(/Property failed/u);
  });

  it("by every law", () => {
    expect(new Set(faults.map(({ law }) => law))).toEqual(new Set(Object.keys(layoutLaws)));
  });
});

describe("a layout with broken epochs is detected", () => {
  it.each(epochFaults)("by $law if it $what", ({ law, make }) => {
    expect(() => epochLaws[law]({ ...epochSubject(small), make }, trial)).toThrow(
      /Property failed/u,
    );
  });

  it("by every law", () => {
    expect(new Set(epochFaults.map(({ law }) => law))).toEqual(new Set(Object.keys(epochLaws)));
  });
});

describe("a layout with a broken list of known objects is detected", () => {
  it.each(poolFaults)("by $law if it $what", ({ law, layout }) => {
    expect(() => poolLaws[law](layout, trial)).toThrow(/Property failed/u);
  });

  it("by every law", () => {
    expect(new Set(poolFaults.map(({ law }) => law))).toEqual(new Set(Object.keys(poolLaws)));
  });
});
