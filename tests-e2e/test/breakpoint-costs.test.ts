import { calibratedEstimator, messageTokens } from "@self-context-manager/core/layout";
import type { View } from "@self-context-manager/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { markedPrefixCache, type PromptBlock } from "../src/caching/prefix-cache.ts";
import { pricesOf, unitsOf } from "../src/caching/priced-run.ts";
import { growingViews } from "../src/session/core-sessions.ts";

const minute = 60_000;

describe("breakpoints of a view", () => {
  const estimator = calibratedEstimator();
  const system: PromptBlock = { text: "system", tokens: 1500, breakpoint: 5 * minute };

  /** Returns the view as a provider sees it: a block for each message, with breakpoints on the marked messages. */
  const blocksOf = ({ messages }: View, marked: readonly number[]): readonly PromptBlock[] => [
    system,
    ...messages.map((message, index): PromptBlock => ({
      text: JSON.stringify(message),
      tokens: messageTokens(message, estimator),
      ...(marked.includes(index) ? { breakpoint: 5 * minute } : {}),
    })),
  ];

  const bill = (views: readonly View[], marks: (view: View) => readonly number[]): number => {
    const cache = markedPrefixCache({ now: () => 0 });
    const billed = views.map((view) => cache.bill(blocksOf(view, marks(view))));
    return unitsOf(billed, pricesOf.anthropic);
  };

  test("never cost more than a single breakpoint at the end, and make a long session cheaper", async () => {
    const onlyEnd = ({ messages }: View): readonly number[] => [messages.length - 1];
    const own = (view: View): readonly number[] => view.boundaries ?? [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 25 }),
        async (sizes) => {
          const made = await growingViews(sizes);

          expect(bill(made, own)).toBeLessThanOrEqual(bill(made, onlyEnd) + 1e-6);
        },
      ),
      { numRuns: 15 },
    );
    const made = await growingViews(Array.from({ length: 200 }, () => 150));

    expect(bill(made, own)).toBeLessThan(bill(made, onlyEnd) * 0.985);
  });
});
