import { describe, expect, test } from "vitest";
import { cacheModel, coldReason, isCold } from "../../src/cost/cache-state.ts";
import { priceProfile } from "../../src/cost/price-profile.ts";

const profile = priceProfile({ provider: "anthropic", id: "claude-sonnet-4-5" });
const model = cacheModel({ provider: "anthropic", id: "claude-sonnet-4-5" });
const minutes = 60_000;
const called = { model, used_at: 1000 };

describe("the state of the cache", () => {
  test("is cold before the first call", () => {
    expect(coldReason(undefined, profile, { model, now: 0 })).toBe("never-called");
  });

  test("is warm up to the end of the lifetime, and cold after that", () => {
    expect(isCold(called, profile, { model, now: 1000 + 5 * minutes })).toBe(false);
    expect(coldReason(called, profile, { model, now: 1001 + 5 * minutes })).toBe("idle");
  });

  test("is cold for another model and for the same model of another provider", () => {
    expect(coldReason(called, profile, { model: "anthropic/claude-opus-5", now: 1000 })).toBe(
      "model-switched",
    );
    expect(coldReason(called, profile, { model: "openrouter/claude-sonnet-4-5", now: 1000 })).toBe(
      "model-switched",
    );
  });

  test("is cold after the text before the messages has changed, if it is known before and now", () => {
    const named = { ...called, head: "a" };
    const reason = (state: typeof called, head?: string) =>
      coldReason(state, profile, { model, now: 1000, head });

    expect(reason(named, "b")).toBe("system-prompt");
    expect([reason(named, "a"), reason(named), reason(called, "b")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("never becomes cold by time if no lifetime is known", () => {
    const local = priceProfile({ provider: "local", id: "x", cost: { input: 0 } });

    expect(isCold(called, local, { model, now: 1000 + 1e9 })).toBe(false);
  });

  test("is not cold if the provider has no cache", () => {
    const none = { ...profile, caching: "none" } as const;

    expect(isCold(undefined, none, { model, now: 0 })).toBe(false);
  });

  test("is warm after the clock was set back", () => {
    expect(isCold(called, profile, { model, now: 0 })).toBe(false);
  });
});
