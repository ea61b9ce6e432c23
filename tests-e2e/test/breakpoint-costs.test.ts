import { calibratedEstimator, messageTokens } from "@self-context-manager/core/layout";
import type { View } from "@self-context-manager/core";
import { markedPrefixCache, type PromptBlock } from "@self-context-manager/evaluate/loopback";
import { type CallRequests, tracedCalls } from "@self-context-manager/replay";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { pricesOf, unitsOf } from "../src/caching/priced-run.ts";
import { growingViews } from "../src/session/core-sessions.ts";

const minute = 60_000;

describe("the cache of a replay", () => {
  /** A prompt by the keys of its blocks, the pause before it, and where it has breakpoints. */
  const prompts = fc.array(
    fc.record({
      kept: fc.integer({ min: 0, max: 30 }),
      added: fc.integer({ min: 1, max: 24 }),
      marks: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
      pause: fc.constantFrom(1, minute, 4 * minute, 6 * minute),
    }),
    { minLength: 1, maxLength: 12 },
  );

  test("holds for any requests what a provider's cache holds", () => {
    fc.assert(
      fc.property(prompts, (all) => {
        let [time, made, keys] = [0, 0, ["system"]];
        const provider = markedPrefixCache({ now: () => time, minimum: 0 });
        const requests: CallRequests[] = [];
        const read: number[] = [];
        for (const { kept, added, marks, pause } of all) {
          time += pause;
          const fresh = Array.from({ length: added }, () => String((made += 1)));
          keys = [...keys.slice(0, 1 + kept), ...fresh];
          const ends = [...marks.filter((end) => end < keys.length), keys.length];
          const parts = keys.map((key) => ({ key, tokens: 10 + (key.length % 3) }));
          requests.push({ prompt: { parts, marks: ends, time }, asked: [], ownCalls: [] });
          const isMarked = (index: number): boolean => index === 0 || ends.includes(index + 1);
          const billed = provider.bill(
            parts.map(({ key, tokens }, index) => ({
              text: key,
              tokens,
              ...(isMarked(index) ? { breakpoint: 5 * minute } : {}),
            })),
          );
          read.push(billed.read);
        }

        const traced = tracedCalls(requests, 5 * minute);
        expect(traced.map((call) => call.cached.own)).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });
});

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
