import { defined } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { billedInput } from "../src/measure/billing.ts";
import type { Part } from "../src/measure/call-view.ts";
import { replayPrices, type ReplayPrices } from "../src/measure/prices.ts";
import { type CallRequests, tracedCalls } from "../src/measure/trace.ts";

const a: ReplayPrices = { name: "A", read: 0.1, write: 1.25, caching: "explicit" };
const parts = fc.array(
  fc.record({ key: fc.integer({ min: 0, max: 5 }), tokens: fc.integer({ min: 1, max: 500 }) }),
  { minLength: 1, maxLength: 12 },
);

test("each call reads the part that it shares with the call before and writes the rest", () => {
  const cost = billedInput(
    traceOf([
      [10, 20],
      [10, 20, 30],
      [10, 40],
    ]),
    a,
    "to-the-end",
  );

  const first = 1.25 * 30;
  const second = 0.1 * 30 + 1.25 * 30;
  const third = 0.1 * 10 + 1.25 * 40;
  expect(cost).toBeCloseTo(first + second + third);
});

test("after a change, a host's breakpoint finds only the system prompt", () => {
  const cost = billedInput(
    traceOf([
      [10, 20, 30],
      [10, 20, 31, 5],
    ]).slice(1),
    { ...a, breakpoints: "host" },
    "to-the-end",
  );

  expect(cost).toBeCloseTo(0.1 * 10 + 1.25 * 56);
});

test("the end of the last request is found up to twenty blocks before the end of this one", () => {
  const before = [10, 20];
  const near = [...before, ...Array.from({ length: 20 }, (_, index) => 100 + index)];
  const far = [...before, ...Array.from({ length: 21 }, (_, index) => 100 + index)];

  expect(traceOf([before, near])[1]?.cached).toMatchObject({ host: 30, own: 30, shared: 30 });
  expect(traceOf([before, far])[1]?.cached).toMatchObject({ host: 10, own: 10, shared: 30 });
});

test("an answer with several blocks counts as several", () => {
  const blocks = Array.from({ length: 3 }, (_, index) => ({ key: index, tokens: 5, blocks: 7 }));
  const [, second] = tracedCalls([
    requestOf([{ key: "a", tokens: 10 }]),
    requestOf([
      { key: "a", tokens: 10 },
      { key: "b", tokens: 3 },
    ]),
    requestOf([{ key: "a", tokens: 10 }, { key: "b", tokens: 3 }, ...blocks]),
  ]).slice(1);

  expect(second?.cached.host).toBe(10);
});

test("a layout's own breakpoints are found where an earlier request had one, and nowhere else", () => {
  const traced = tracedCalls([
    requestOf(partsOf([1, 2, 3, 4]), [2, 4]),
    requestOf(partsOf([1, 2, 3, 4, 5]), [2, 5]),
    requestOf(partsOf([1, 2, 3, 9]), [2, 4]),
    requestOf(partsOf([1, 2, 3, 8]), [3, 4]),
  ]);

  expect(traced.map(({ cached }) => cached.own)).toEqual([0, 10, 3, 3]);
  expect(traced.map(({ cached }) => cached.shared)).toEqual([0, 10, 6, 6]);
});

test("a breakpoint that is not in use lives as long as an entry of the cache, and then is gone", () => {
  const at = (time: number, keys: readonly number[], marks: readonly number[]) =>
    requestOf(partsOf(keys), marks, time);
  const traced = tracedCalls(
    [
      at(0, [1, 2, 3, 4], [2, 4]),
      at(900, [1, 2, 3, 4, 5], [5]),
      at(1800, [1, 2, 3, 4, 5, 6], [6]),
      at(1900, [1, 2, 9], [2, 3]),
    ],
    1000,
  );

  expect(traced.map(({ cached }) => cached.own)).toEqual([0, 10, 15, 1]);
});

test("an automatic cache is read in steps of 128 tokens, up to any place", () => {
  const traced = traceOf([
    [300, 20],
    [300, 30],
  ]);

  expect(billedInput(traced.slice(1), { ...a, write: 1, caching: "automatic" }, "to-the-end")).toBe(
    0.1 * 256 + 74,
  );
});

test("a request for an object is a call of its own: it writes what is new, and the next one reads it", () => {
  const calls = tracedCalls([
    requestOf(partsOf([10, 20])),
    {
      ...requestOf(partsOf([10, 20, 30, 200])),
      asked: [{ prompt: { parts: partsOf([10, 20, 30]) }, content: 200 }],
    },
  ]);

  const asking = 0.1 * 30 + 1.25 * 30 + 120 * 5;
  expect(billedInput(calls.slice(1), a, "to-the-end")).toBeCloseTo(asking + 0.1 * 60 + 1.25 * 200);
  expect(billedInput(calls.slice(1), a, "what-the-next-reads")).toBeCloseTo(
    0.1 * 60 + 1.25 * 200 + 120 * 5 + 0.1 * 260,
  );
});

test("a prompt that waited longer than the cache lives is written again", () => {
  const traced = tracedCalls(
    [0, 900, 2500].map((time) => requestOf(partsOf([10, 20]), undefined, time)),
    1000,
  );

  expect(traced.map(({ cached }) => cached.shared)).toEqual([0, 30, 0]);
  expect(traced.map(({ cached }) => cached.own)).toEqual([0, 30, 0]);
});

test("for any prompts and breakpoints: nothing beats a cache that is read at any place", () => {
  const marks = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(parts, marks), { minLength: 1, maxLength: 10 }), (prompts) => {
      const calls = tracedCalls(
        prompts.map(([prompt, ends]) =>
          requestOf(withBytes(prompt), [
            ...ends.filter((end) => end < prompt.length),
            prompt.length,
          ]),
        ),
      );
      const total = calls.reduce((sum, { tokens }) => sum + tokens, 0);
      for (const { cached } of calls) {
        expect(cached.own).toBeLessThanOrEqual(cached.shared);
        expect(cached.host).toBeLessThanOrEqual(cached.shared);
        expect(cached.host).toBeLessThanOrEqual(cached.own);
      }
      for (const prices of replayPrices) {
        const sparing = billedInput(calls, prices, "what-the-next-reads");
        expect(sparing).toBeGreaterThanOrEqual(prices.read * total - 1e-6);
        const whole = billedInput(calls, prices, "to-the-end");
        const isHosts = prices.breakpoints === "host";
        expect(isHosts || sparing <= whole + 1e-6).toBe(true);
      }
    }),
  );
});

test("for any growing chat: sending it unchanged is the cheapest way to send all of it", () => {
  const growing = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 2, maxLength: 20 });
  fc.assert(
    fc.property(growing, fc.integer({ min: 1, max: 19 }), (sizes, moved) => {
      const chat = sizes.map((tokens, key) => ({ key, tokens }));
      const prompts = chat.map((_, end) => chat.slice(0, end + 1));
      // The same content, with one block in another place on every second call.
      const turned = prompts.map((prompt, index) => {
        const at = Math.min(moved, prompt.length - 1);
        const one = prompt[at];
        if (index % 2 === 0 || one === undefined) return prompt;
        return [...prompt.slice(0, at), ...prompt.slice(at + 1), { ...one, key: one.key }];
      });
      const plain = billedInput(traced(prompts), a, "to-the-end");
      expect(plain).toBeLessThanOrEqual(billedInput(traced(turned), a, "to-the-end") + 1e-6);
    }),
  );
});

function traceOf(prompts: readonly (readonly number[])[]) {
  return tracedCalls(prompts.map((prompt) => requestOf(partsOf(prompt))));
}

function partsOf(sizes: readonly number[]): readonly Part[] {
  return sizes.map((tokens) => ({ key: tokens, tokens }));
}

function requestOf(
  prompt: readonly Part[],
  marks?: readonly number[],
  time?: number,
): CallRequests {
  return { prompt: { parts: prompt, ...defined({ marks, time }) }, asked: [], ownCalls: [] };
}

/** Equal keys with different tokens would mean different bytes. */
function withBytes(prompt: readonly Part[]): readonly Part[] {
  return prompt.map(({ key, tokens }) => ({ key: `${String(key)} ${tokens}`, tokens }));
}

function traced(prompts: readonly (readonly Part[])[]) {
  return tracedCalls(prompts.map((prompt) => requestOf(withBytes(prompt))));
}
