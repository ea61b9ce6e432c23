import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionTimeline } from "@self-context-manager/core/inspect";
import { callParts } from "../../page/figures/call-parts.ts";
import { costByCall, costSoFar } from "../../page/pictures/cost-lines.ts";
import { billedOf } from "../../page/figures/billed.ts";
import { costSums } from "../../page/figures/session-sums.ts";
import {
  bandAt,
  callTotals,
  columnOf,
  columnStart,
  partSums,
  stackOf,
} from "../../page/pictures/stack.ts";
import { sampleSession } from "../sample-answers.ts";

/** Timelines of sample sessions, with a range of their calls and a width in columns. */
const pictures = fc
  .record({
    calls: fc.integer({ min: 1, max: 140 }),
    objects: fc.integer({ min: 0, max: 70 }),
    seed: fc.integer({ min: 1, max: 1000 }),
    width: fc.integer({ min: 1, max: 200 }),
    share: fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    ),
  })
  .map(({ calls, objects, seed, width, share }) => {
    const [low, high] = share.map((one) => Math.floor(one * (calls - 1))).sort((a, b) => a - b);
    const range = { from: low ?? 0, to: (high ?? 0) + 1 };
    return { timeline: sampleSession({ calls, objects, seed }).timeline, range, width };
  });

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, one) => sum + one, 0);

describe("the picture of tokens by object", () => {
  test("has in each column the mean of its calls, and all columns together keep the sum", () => {
    fc.assert(
      fc.property(pictures, ({ timeline, range, width }) => {
        const stack = stackOf(timeline, range, width);
        const totals = callTotals(timeline);

        const columns = Array.from(stack.totals, (mean, column) => {
          const start = columnStart(range, stack.columns, column);
          return mean * (columnStart(range, stack.columns, column + 1) - start);
        });

        expect(sumOf(columns)).toBeCloseTo(sumOf(totals.subarray(range.from, range.to)), 3);
      }),
    );
  });

  test("has bands that add up to the total of each column, with each part in one band", () => {
    fc.assert(
      fc.property(pictures, ({ timeline, range, width }) => {
        const { columns, bands, heights, totals } = stackOf(timeline, range, width);
        const parts = bands.flatMap((band) => band.parts);

        expect(new Set(parts).size).toBe(parts.length);
        for (let column = 0; column < columns; column++) {
          const sum = sumOf(bands.map((_, band) => heights[band * columns + column] ?? 0));
          expect(sum).toBeCloseTo(totals[column] ?? Number.NaN, 3);
        }
      }),
    );
  });

  test("has each call in the column that begins at it or before it", () => {
    fc.assert(
      fc.property(pictures, ({ timeline, range, width }) => {
        const { columns } = stackOf(timeline, range, width);
        for (let index = range.from; index < range.to; index++) {
          const column = columnOf(range, columns, index);
          expect(columnStart(range, columns, column)).toBeLessThanOrEqual(index);
          expect(columnStart(range, columns, column + 1)).toBeGreaterThan(index);
        }
      }),
    );
  });

  test("has the same tokens of a part in few columns as in one for each call", () => {
    fc.assert(
      fc.property(pictures, ({ timeline, range, width }) => {
        const calls = range.to - range.from;
        const columns = Math.min(width, calls);
        const few = partSums(timeline, range, columns);
        const all = partSums(timeline, range, calls);
        for (const part of timeline.parts.keys())
          expect(sumOf(few.subarray(part * columns, (part + 1) * columns))).toBeCloseTo(
            sumOf(all.subarray(part * calls, (part + 1) * calls)),
            3,
          );
      }),
    );
  });

  test("finds the band at a height, and none above the stack", () => {
    const { timeline } = sampleSession({ calls: 40, objects: 12 });
    const stack = stackOf(timeline, { from: 0, to: 40 }, 400);
    const last = stack.columns - 1;

    expect(bandAt(stack, last, 1)).toBe(0);
    expect(bandAt(stack, last, (stack.totals[last] ?? 0) - 1)).toBeGreaterThan(0);
    expect(bandAt(stack, last, (stack.totals[last] ?? 0) + 1)).toBeUndefined();
  });

  test("merges small parts of one kind, and keeps the large ones apart", () => {
    const small = Array.from({ length: 60 }, (_, index) => [index + 1, 2] as const);
    const timeline: SessionTimeline = {
      parts: [
        { kind: "file", handle: "f1", name: "large.ts" },
        ...small.map(
          ([index]) => ({ kind: "file", handle: `f${index + 1}`, name: "small" }) as const,
        ),
      ],
      calls: [
        {
          call: 1,
          at: { tx_id: 1, tx_time: "2026-11-26T00:00:00.000Z" },
          layout: "epoch",
          tokens: 100_120,
          changes: [[0, 100_000], ...small],
          shared: 0,
          repeated: 0,
        },
      ],
      calibration: { factor: 1, overhead: 0 },
    };

    const { bands } = stackOf(timeline, { from: 0, to: 1 }, 100);

    expect(bands.map(({ name }) => name)).toEqual(["large.ts", "60 smaller parts"]);
  });

  test("is empty at a call that cannot be read", () => {
    const { timeline } = sampleSession({ calls: 90, objects: 5 });
    const index = timeline.calls.findIndex(({ problem }) => problem !== undefined);

    const stack = stackOf(timeline, { from: 0, to: 90 }, 90);

    expect(stack.totals[index]).toBe(0);
    expect(callParts(timeline, index)).toEqual([]);
  });
});

test("the parts of a call add up to its total", () => {
  fc.assert(
    fc.property(pictures, ({ timeline, range }) => {
      const parts = callParts(timeline, range.from);

      expect(sumOf(parts.map(({ tokens }) => tokens))).toBeCloseTo(
        callTotals(timeline)[range.from] ?? Number.NaN,
        3,
      );
    }),
  );
});

test("the cost so far ends with the cost of all calls, and the cost of each call adds up to it", () => {
  fc.assert(
    fc.property(pictures, ({ timeline: { calls }, width }) => {
      const range = { from: 0, to: calls.length };
      const columns = Math.min(width, calls.length);
      const { plainUnits } = costSums(calls);
      const units = sumOf(calls.map((call) => billedOf(call)?.units ?? 0));
      const single = costByCall(calls, range, calls.length);

      expect(costSoFar(calls, range, columns).own.at(-1)).toBeCloseTo(units, 3);
      expect(sumOf(single.own)).toBeCloseTo(units, 3);
      expect(sumOf(single.plain)).toBeCloseTo(plainUnits, 3);
    }),
  );
});
