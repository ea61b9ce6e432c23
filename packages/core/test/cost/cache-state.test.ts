import { describe, expect, test } from "vitest";
import { cacheModel, coldReason, isCold } from "../../src/cost/cache-state.ts";
import { priceProfile } from "../../src/cost/price-profile.ts";

const profile = priceProfile({ provider: "anthropic", id: "claude-sonnet-4-5" });
const model = cacheModel({ provider: "anthropic", id: "claude-sonnet-4-5" });
const minutes = 60_000;
const called = { model, used_at: 1000 };

describe("the state of the cache", () => {
  test("is cold before the first call", () => {
    expect(coldReason(undefined, 0, profile, model)).toBe("never-called");
  });

  test("is warm up to the end of the lifetime, and cold after that", () => {
    expect(isCold(called, 1000 + 5 * minutes, profile, model)).toBe(false);
    expect(coldReason(called, 1001 + 5 * minutes, profile, model)).toBe("idle");
  });

  test("is cold for another model and for the same model of another provider", () => {
    expect(coldReason(called, 1000, profile, "anthropic/claude-opus-5")).toBe("model-switched");
    expect(coldReason(called, 1000, profile, "openrouter/claude-sonnet-4-5")).toBe(
      "model-switched",
    );
  });

  test("never becomes cold by time if no lifetime is known", () => {
    const local = priceProfile({ provider: "local", id: "x", cost: { input: 0 } });

    expect(isCold(called, 1000 + 1e9, local, model)).toBe(false);
  });

  test("is not cold if the provider has no cache", () => {
    const none = { ...profile, caching: "none" } as const;

    expect(isCold(undefined, 0, none, model)).toBe(false);
  });

  test("is warm after the clock was set back", () => {
    expect(isCold(called, 0, profile, model)).toBe(false);
  });
});
