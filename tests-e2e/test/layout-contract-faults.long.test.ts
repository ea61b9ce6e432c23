import { epochLayout, pooledLayout } from "@self-context-manager/core";
import { epochLaws, layoutLaws, poolLaws } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { epochSubject, smallSizes } from "../src/layout/epoch-subject.ts";
import { epochFaults, layoutFaults, poolFaults } from "../src/layout/faults.ts";

const trial = { numRuns: 300, seed: 7, endOnFailure: true };

describe.each([pooledLayout, epochLayout(smallSizes)])(
  "a broken $name layout is detected",
  (sound) => {
    const faults = layoutFaults(sound);

    it.each(faults)("by $law if it $what", ({ law, layout }) => {
      expect(() => layoutLaws[law](layout, trial)).toThrow(/Property failed/u);
    });

    it("by every law", () => {
      expect(new Set(faults.map(({ law }) => law))).toEqual(new Set(Object.keys(layoutLaws)));
    });
  },
);

describe("a layout with broken epochs is detected", () => {
  it.each(epochFaults)("by $law if it $what", ({ law, make }) => {
    expect(() => epochLaws[law]({ ...epochSubject(smallSizes), make }, trial)).toThrow(
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
