import {
  defaultEpochSettings,
  epochLayout,
  type EpochSettings,
  pooledLayout,
} from "@self-context-manager/core";
import {
  epochLaws,
  type EpochSubject,
  layoutContract,
  layoutLaws,
} from "@self-context-manager/testkit";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";

import { epochFaults, layoutFaults } from "../src/layout/faults.ts";

/** So small that a few words are trimmed, shown as differences, and leave. */
const small: Partial<EpochSettings> = {
  small: 20,
  largeArguments: 60,
  trim: { over: 200, head: 60, tail: 30 },
};

const epochSettings: Readonly<Record<string, Partial<EpochSettings>>> = {
  epoch: {},
  "epoch, of small sizes": small,
  "epoch, that leaves nothing dead": {
    ...small,
    deactivate: "immediate",
    argumentsBesideSignedThinking: true,
  },
  "epoch, that leaves nothing replaced": { ...small, superseded: "at-once" },
  "epoch, plain": { ...small, differences: false, trim: undefined, largeArguments: undefined },
};

layoutContract({ name: "pooled", layout: pooledLayout });

for (const [name, settings] of Object.entries(epochSettings)) {
  layoutContract({ name, layout: epochLayout(settings), epochs: subject(settings) });
}

const trial = { numRuns: 300, seed: 7, endOnFailure: true };

describe.each([pooledLayout, epochLayout(small)])("a broken $name layout is seen", (sound) => {
  const faults = layoutFaults(sound);

  it.each(faults)("by $law where it $what", ({ law, layout }) => {
    expect(() => layoutLaws[law](layout, trial)).toThrow(/Property failed/u);
  });

  it("by every law", () => {
    expect(new Set(faults.map(({ law }) => law))).toEqual(new Set(Object.keys(layoutLaws)));
  });
});

describe("a layout with broken epochs is seen", () => {
  it.each(epochFaults)("by $law where it $what", ({ law, make }) => {
    expect(() => epochLaws[law]({ ...subject(small), make }, trial)).toThrow(/Property failed/u);
  });

  it("by every law", () => {
    expect(new Set(epochFaults.map(({ law }) => law))).toEqual(new Set(Object.keys(epochLaws)));
  });
});

function subject(settings: Partial<EpochSettings>): EpochSubject {
  return {
    make: epochLayout,
    settings: { ...defaultEpochSettings, ...settings },
    countTokens: (text) => encode(text).length,
  };
}
