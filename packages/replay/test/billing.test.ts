import * as fc from "fast-check";
import { expect, test } from "vitest";

import { billedInput } from "../src/measure/billing.ts";
import type { CallView, Part } from "../src/measure/call-view.ts";
import { replayPrices, type ReplayPrices } from "../src/measure/prices.ts";
import { tracer } from "../src/measure/trace.ts";

const a: ReplayPrices = { name: "A", read: 0.1, write: 1.25, breakpoints: "free" };
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

test("with the host's breakpoints, after a change only the system prompt is read", () => {
  const host: ReplayPrices = { ...a, breakpoints: "host" };

  const cost = billedInput(
    traceOf([
      [10, 20, 30],
      [10, 20, 31, 5],
    ]).slice(1),
    host,
    "to-the-end",
  );

  expect(cost).toBeCloseTo(0.1 * 10 + 1.25 * 56);
});

test("the host's breakpoint is not found beyond twenty blocks", () => {
  const host: ReplayPrices = { ...a, breakpoints: "host" };
  const before = [10, 20];
  const near = [...before, ...Array.from({ length: 20 }, (_, index) => 100 + index)];
  const far = [...before, ...Array.from({ length: 21 }, (_, index) => 100 + index)];

  expect(traceOf([before, near])[1]?.cached.host).toBe(30);
  expect(traceOf([before, far])[1]?.cached.host).toBe(10);
  expect(billedInput(traceOf([before, far]), host, "to-the-end")).toBeGreaterThan(
    billedInput(traceOf([before, far]), a, "to-the-end"),
  );
});

test("own breakpoints find the end of the last prompt before a change", () => {
  const traced = traceOf([
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 6],
  ]);

  expect(traced[3]?.cached.own).toBe(6);
  expect(traced[3]?.cached.free).toBe(10);
});

test("billed in its favour, a call reads its requests and the objects that it was given", () => {
  const [before, changed] = [viewOf([10, 20, 30]), viewOf([10, 21, 30, 200])];
  const traced = tracer();
  traced.add(before);
  traced.add(changed, [{ prompt: 61, content: 200 }]);
  traced.add(viewOf([10, 21, 30, 200, 5]));

  const first = 1.25 * 10 + 50;
  const asking = 0.1 * 61 + 120 * 5 + 1.25 * 200;
  const second = 0.1 * 261;
  const third = 0.1 * 261 + 5;
  expect(billedInput(traced.calls, a, "what-the-next-reads")).toBeCloseTo(
    first + asking + second + third,
  );
  expect(billedInput(traced.calls, a, "to-the-end")).toBeCloseTo(
    1.25 * 60 + (0.1 * 10 + 1.25 * 251) + (0.1 * 61 + 600) + (0.1 * 261 + 1.25 * 5),
  );
});

test("a prompt that waited longer than the cache lives is written again", () => {
  const traced = tracer(1000);
  for (const time of [0, 900, 2500]) traced.add({ ...viewOf([10, 20]), time });

  expect(traced.calls.map(({ cached }) => cached.free)).toEqual([0, 30, 0]);
});

test("for any prompts: other breakpoints never beat free ones, and nothing beats reading everything", () => {
  fc.assert(
    fc.property(fc.array(parts, { minLength: 1, maxLength: 10 }), (prompts) => {
      const calls = traced(prompts);
      const total = calls.reduce((sum, { tokens }) => sum + tokens, 0);
      for (const prices of replayPrices) {
        const free = billedInput(calls, { ...prices, breakpoints: "free" }, "to-the-end");
        const host = billedInput(calls, { ...prices, breakpoints: "host" }, "to-the-end");
        const own = billedInput(calls, { ...prices, breakpoints: "own" }, "to-the-end");
        const sparing = billedInput(
          calls,
          { ...prices, breakpoints: "free" },
          "what-the-next-reads",
        );
        expect(free).toBeLessThanOrEqual(own + 1e-6);
        expect(own).toBeLessThanOrEqual(host + 1e-6);
        expect(sparing).toBeLessThanOrEqual(free + 1e-6);
        expect(sparing).toBeGreaterThanOrEqual(prices.read * total - 1e-6);
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
  return traced(prompts.map((prompt) => prompt.map((tokens) => ({ key: tokens, tokens }))));
}

function viewOf(prompt: readonly number[]): CallView {
  return { parts: prompt.map((tokens) => ({ key: tokens, tokens })), shown: () => "none" };
}

function traced(prompts: readonly (readonly Part[])[]) {
  const trace = tracer();
  // Equal keys with different tokens would mean different bytes.
  for (const prompt of prompts)
    trace.add({
      parts: prompt.map(({ key, tokens }) => ({ key: `${String(key)} ${tokens}`, tokens })),
      shown: () => "none",
    });
  return trace.calls;
}
