import { describe, expect, it } from "vitest";

import { profileOf, unitsOf } from "../../src/inspect/reported-units.ts";

const usage = { input: 10, cacheRead: 10_000, cacheWrite: 2_000 };

describe("the price of a reported usage", () => {
  it("is by the prices of the table, if the estimated cost of the call has these prices", () => {
    const cost = { cached: 10_000, fresh: 2_000, units: 3_500, plainUnits: 9_000 };

    expect(unitsOf(usage, { model: "anthropic/claude-sonnet-4-5", cost })).toBe(3_510);
  });

  it("is not known if the session had other prices, such as those of a longer retention", () => {
    const cost = { cached: 10_000, fresh: 2_000, units: 5_000, plainUnits: 9_000 };

    expect(unitsOf(usage, { model: "anthropic/claude-sonnet-4-5", cost })).toBeUndefined();
  });

  it("is not known without a model or an estimated cost", () => {
    const cost = { cached: 10_000, fresh: 2_000, units: 3_500, plainUnits: 9_000 };

    expect(unitsOf(usage, { cost })).toBeUndefined();
    expect(unitsOf(usage, { model: "anthropic/claude-sonnet-4-5" })).toBeUndefined();
  });
});

it("the prices of a model without a provider are those of its name", () => {
  expect(profileOf("claude-sonnet-4-5")).toMatchObject({ read: 0.1, write: 1.25 });
});
