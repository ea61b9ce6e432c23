import { callRuns } from "../../page/figures/call-runs.ts";
import { isIncluded, shownVersion } from "../../page/figures/shown-version.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ObjectId } from "@self-context-manager/core";
import type { TimelineCall } from "@self-context-manager/core/inspect";
import { billedOf, reportedCost, reportedCostText } from "../../page/figures/billed.ts";
import { callParts } from "../../page/figures/call-parts.ts";
import { cachedBoundary } from "../../page/figures/cached-boundary.ts";
import { differenceText } from "../../page/figures/difference-text.ts";
import { kindCosts, objectCosts, type PartCost } from "../../page/figures/object-costs.ts";
import { leftObjects } from "../../page/figures/left-objects.ts";
import { fromCalls, modelsOf } from "../../page/figures/models.ts";
import { sentAgain } from "../../page/figures/sent-again.ts";
import { epochRows, missSums } from "../../page/figures/session-sums.ts";
import { cachedTokens, usageSums } from "../../page/figures/usage.ts";
import { axisTicks, callTicks, zoomed } from "../../page/pictures/axis.ts";
import { costByCall, costSoFar } from "../../page/pictures/cost-lines.ts";
import { callMarks } from "../../page/pictures/marks.ts";
import { callTotals } from "../../page/pictures/stack.ts";
import { sampleSession } from "../sample-answers.ts";

const call = (more: Partial<TimelineCall> & { readonly call: number }): TimelineCall => ({
  at: { tx_id: more.call, tx_time: "2026-11-26T00:00:00.000Z" },
  layout: "epoch",
  tokens: 0,
  changes: [],
  shared: 0,
  repeated: 0,
  ...more,
});

describe("the cost of the parts", () => {
  test("adds up to the cost of all calls that can be read", () => {
    const sizes = fc.record({
      calls: fc.integer({ min: 1, max: 120 }),
      objects: fc.integer({ min: 0, max: 40 }),
      seed: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(sizes, (size) => {
        const { timeline } = sampleSession(size);
        const readable = timeline.calls.filter(({ problem }) => problem === undefined);
        const billed = readable.reduce((sum, one) => sum + (billedOf(one)?.units ?? 0), 0);
        const costs = objectCosts(timeline);

        const units = costs.reduce((sum, one) => sum + one.units, 0);
        const ofKinds = kindCosts(costs).reduce((sum, one) => sum + one.units, 0);

        expect(units / billed).toBeCloseTo(1, 6);
        expect(ofKinds / billed).toBeCloseTo(1, 6);
      }),
    );
  });

  test("charges new tokens to the part that grew", () => {
    const timeline = {
      parts: [
        { kind: "file", handle: "f1", name: "old.ts" },
        { kind: "file", handle: "f2", name: "new.ts" },
      ],
      calls: [
        call({
          call: 1,
          changes: [[0, 1000]],
          cost: { cached: 0, fresh: 1000, units: 1250, plainUnits: 1250 },
        }),
        call({
          call: 2,
          changes: [[1, 1000]],
          cost: { cached: 1000, fresh: 1000, units: 1350, plainUnits: 1350 },
        }),
      ],
      calibration: { factor: 1, overhead: 0 },
    } as const;

    const costs = objectCosts(timeline);

    expect(costs.map(({ name, units }) => [name, Math.round(units)])).toEqual([
      ["old.ts", 1350],
      ["new.ts", 1250],
    ]);
    expect(costs[1]).toMatchObject({ calls: 1, first: 2, last: 2, tokenCalls: 1000 });
  });
});

test("costs by kind have the highest first, with the number of parts", () => {
  const cost = (name: string, kind: "file" | "answers", units: number): PartCost => ({
    name,
    kind,
    units,
    tokens: 1,
    tokenCalls: 2 * units,
    calls: 1,
    first: 1,
    last: 1,
  });

  const kinds = kindCosts([
    cost("all", "answers", 50),
    cost("a", "file", 40),
    cost("b", "file", 30),
  ]);

  expect(kinds).toEqual([
    { kind: "file", parts: 2, tokenCalls: 140, units: 70 },
    { kind: "answers", parts: 1, tokenCalls: 100, units: 50 },
  ]);
});

describe("the reported cost", () => {
  const cost = { cached: 1000, fresh: 100, units: 225, plainUnits: 300 };
  const missed = call({
    call: 2,
    cost,
    usage: { input: 0, cacheRead: 0, cacheWrite: 1100 },
    reportedUnits: 1375,
    miss: { tokens: 1000, reason: "provider", text: "", isReported: true },
  });

  test("is that of a call where it exists, and else the estimate", () => {
    expect(billedOf(missed)).toEqual({ cached: 0, fresh: 1100, units: 1375, isReported: true });
    expect(billedOf(call({ call: 1, cost }))).toEqual({
      cached: 1000,
      fresh: 100,
      units: 225,
      isReported: false,
    });
    expect(billedOf(call({ call: 1 }))).toBeUndefined();
  });

  test("divides among the parts with the tokens that the provider billed as new", () => {
    const timeline = {
      parts: [{ kind: "file", handle: "f1", name: "old.ts" }],
      calls: [call({ call: 1, changes: [[0, 1100]], cost }), missed],
      calibration: { factor: 1, overhead: 0 },
    } as const;

    expect(objectCosts(timeline)[0]?.units).toBeCloseTo(225 + 1375, 6);
  });

  test("is compared with the estimate of the same calls, with its cause", () => {
    const calls = [call({ call: 1, cost }), missed];

    expect(reportedCost(calls)).toEqual({ calls: 1, units: 1375, estimated: 225, missed: 1150 });
    expect(reportedCostText(reportedCost(calls), 2)).toMatch(
      /^By the provider's reports 1\.4k in 1 of 2 calls, 511 % more than estimated for them, mostly for misses/u,
    );
    expect(reportedCostText({ calls: 2, units: 88, estimated: 100, missed: 0 }, 2)).toBe(
      "By the provider's reports 88, 12 % less than estimated.",
    );
    expect(reportedCostText({ calls: 2, units: 100, estimated: 100, missed: 5 }, 2)).toBe(
      "By the provider's reports 100, as estimated.",
    );
    expect(reportedCostText({ calls: 0, units: 0, estimated: 0, missed: 0 }, 2)).toBeUndefined();
  });

  test("has a line that is solid only where each call of the column was reported", () => {
    const calls = [missed, call({ call: 3, cost }), missed, missed];
    const range = { from: 0, to: 4 };

    expect([...costByCall(calls, range, 4).own]).toEqual([1375, 225, 1375, 1375]);
    expect([...costByCall(calls, range, 4).isReported]).toEqual([1, 0, 1, 1]);
    expect([...costSoFar(calls, { from: 1, to: 4 }, 3).own]).toEqual([1600, 2975, 4350]);
    expect([...costSoFar(calls, { from: 1, to: 4 }, 3).isReported]).toEqual([0, 1, 1]);
    expect([...costSoFar(calls, range, 2).isReported]).toEqual([0, 1]);
  });
});

describe("sums of a session", () => {
  test("the provider's usage is compared with the estimates of the same calls only", () => {
    const calls = [
      call({ call: 1, usage: { input: 1, cacheRead: 20, cacheWrite: 300 } }),
      call({ call: 2 }),
      call({ call: 3, usage: { input: 2, cacheRead: 30, cacheWrite: 400 } }),
    ];

    expect(usageSums({ calls }, [100, 5000, 200])).toEqual({
      calls: 2,
      input: 3,
      cacheRead: 50,
      cacheWrite: 700,
      estimated: 300,
    });
  });

  test("cached tokens are the provider's, or else an estimate that says so", () => {
    const cost = { cached: 7, fresh: 1, units: 2, plainUnits: 2 };

    expect(
      cachedTokens(call({ call: 1, cost, usage: { input: 1, cacheRead: 9, cacheWrite: 0 } })),
    ).toEqual({ tokens: 9, isReported: true });
    expect(cachedTokens(call({ call: 1, cost }))).toEqual({ tokens: 7, isReported: false });
  });

  test("misses are added up by reason, the largest first", () => {
    const miss = (tokens: number, reason: "provider" | "idle"): Pick<TimelineCall, "miss"> => ({
      miss: { tokens, reason, text: "", isReported: true },
    });

    const sums = missSums([
      call({ call: 1, ...miss(10, "idle") }),
      call({ call: 2 }),
      call({ call: 3, ...miss(40, "provider") }),
      call({ call: 4, ...miss(5, "idle") }),
    ]);

    expect(sums).toEqual([
      { reason: "provider", tokens: 40, calls: 1 },
      { reason: "idle", tokens: 15, calls: 2 },
    ]);
  });

  test("epochs have their calls, and why the one before ended", () => {
    const epoch = (number: number, place: number): TimelineCall["epoch"] => ({
      number,
      call: place,
      left: number === 1 ? [] : ["f1"],
      ...(number === 1 ? {} : { endedBy: "carried" as const }),
    });
    const calls = [
      call({ call: 1, epoch: epoch(1, 1) as NonNullable<TimelineCall["epoch"]> }),
      call({ call: 2, epoch: epoch(1, 2) as NonNullable<TimelineCall["epoch"]> }),
      call({ call: 3, epoch: epoch(2, 1) as NonNullable<TimelineCall["epoch"]> }),
    ];

    expect(epochRows({ calls }, [5, 9, 4])).toEqual([
      { number: 1, first: 1, last: 2, left: [], tokens: 9 },
      { number: 2, first: 3, last: 3, startedBecause: "carried", left: ["f1"], tokens: 4 },
    ]);
    expect(callMarks(calls)).toEqual([{ index: 2, type: "epoch", label: "carried" }]);
  });

  test("objects that left at an epoch's end are named with the calls at which they came back", () => {
    const epoch = (
      number: number,
      place: number,
      left: readonly string[] = [],
    ): NonNullable<TimelineCall["epoch"]> => ({ number, call: place, left });
    const timeline = {
      parts: [
        { kind: "file", handle: "f1", name: "cart.ts", id: "id-1" as ObjectId },
        { kind: "toolcall", handle: "t2", name: "npm test" },
        { kind: "user", handle: "u3", name: "" },
      ],
      calls: [
        call({
          call: 1,
          epoch: epoch(1, 1),
          changes: [
            [0, 100],
            [1, 200],
            [2, 300],
          ],
        }),
        call({
          call: 2,
          epoch: epoch(2, 1, ["f1", "t2/args", "u3", "x9"]),
          changes: [
            [0, 0],
            [1, 0],
            [2, 80],
          ],
        }),
        call({
          call: 3,
          epoch: epoch(2, 2, ["f1"]),
          changes: [
            [0, 100],
            [2, 70],
          ],
        }),
        call({ call: 4, epoch: epoch(3, 1, ["f1"]), changes: [[0, 0]] }),
        call({ call: 5, epoch: epoch(3, 2), changes: [[2, 300]] }),
      ],
    } as const;

    expect([...leftObjects(timeline)]).toEqual([
      [
        2,
        [
          { key: "f1", name: "cart.ts", id: "id-1", isPartly: false, back: 3 },
          { key: "t2/args", name: "npm test", isPartly: false },
          { key: "u3", name: "u3", isPartly: true, back: 5 },
          { key: "x9", name: "", isPartly: false },
        ],
      ],
      [4, [{ key: "f1", name: "cart.ts", id: "id-1", isPartly: false }]],
    ]);
  });

  test("misses and damaged calls are marked", () => {
    const { timeline } = sampleSession({ calls: 100, objects: 20 });
    const types = new Set(callMarks(timeline.calls).map(({ type }) => type));

    expect([...types].sort()).toEqual(["damaged", "epoch", "miss"]);
  });

  test("the difference of the sums is a sentence with its side", () => {
    expect(differenceText(103, 100)).toBe("Our estimate is 3.0 % above the provider's count.");
    expect(differenceText(80, 100)).toBe("Our estimate is 20 % below the provider's count.");
    expect(differenceText(100, 100)).toBe("Our estimate equals the provider's count.");
    expect(differenceText(100, 0)).toBe("The provider reported no tokens.");
  });
});

test("models have the calls from which they were used", () => {
  const models = modelsOf([
    call({ call: 1, model: "a/x" }),
    call({ call: 2 }),
    call({ call: 3, model: "a/x" }),
    call({ call: 4, model: "b/y" }),
    call({ call: 5, model: "a/x" }),
  ]);

  expect(models).toEqual([
    { model: "a/x", from: [1, 5] },
    { model: "b/y", from: [4] },
  ]);
  expect(models.map(({ from }) => fromCalls(from))).toEqual(["from call 1 and 5", "from call 4"]);
  expect(fromCalls([1, 2, 3, 4, 5, 6, 7])).toBe("from call 1, 2, 3, 4, 5 and 2 more");
});

test("a message is sent again if the call before had it behind the first change, as often as there", () => {
  const messages = ["a", "new", "b", "c", "b", "a"].map((hash, index) => ({
    hash,
    isShared: index === 0,
  }));
  const before = ["a", "gone", "b", "c"].map((hash) => ({ hash }));

  expect([...sentAgain(messages, before)]).toEqual([2, 3]);
  expect([...sentAgain([{ hash: "a", isShared: true }], before)]).toEqual([]);
});

describe("the cached boundary", () => {
  test("is in the message in which the cached tokens end", () => {
    expect(cachedBoundary(160, 100, [50, 40, 30])).toEqual({ messages: 1, share: 0.25 });
    expect(cachedBoundary(50, 100, [50, 40])).toEqual({ messages: 0, share: 0 });
    expect(cachedBoundary(500, 100, [50, 40])).toEqual({ messages: 2, share: 0 });
  });

  test("is never behind the first message that differs", () => {
    expect(cachedBoundary(500, 100, [50, 40, 30], 1)).toEqual({ messages: 1, share: 0 });
    expect(cachedBoundary(160, 100, [50, 40, 30], 1)).toEqual({ messages: 1, share: 0 });
    expect(cachedBoundary(140, 100, [50, 40, 30], 1)).toEqual({ messages: 0, share: 0.8 });
    expect(cachedBoundary(500, 100, [50], 0)).toEqual({ messages: 0, share: 0 });
  });

  test("is never before the boundary of fewer cached tokens", () => {
    const messages = fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 30 });
    fc.assert(
      fc.property(messages, fc.nat(9000), fc.nat(500), (tokens, cached, more) => {
        const [one, other] = [
          cachedBoundary(cached, 100, tokens),
          cachedBoundary(cached + more, 100, tokens),
        ];

        expect(other.messages + other.share).toBeGreaterThanOrEqual(one.messages + one.share);
      }),
    );
  });
});

describe("axes and zoom", () => {
  test("an axis has round values from 0 to the largest", () => {
    expect(axisTicks(95_000, 5)).toEqual([0, 20_000, 40_000, 60_000, 80_000]);
    expect(axisTicks(0, 5)).toEqual([0]);
    expect(callTicks(37, 61, 5)).toEqual([40, 45, 50, 55, 60]);
    expect(callTicks(4, 4, 5)).toEqual([4]);
  });

  test("a zoomed range stays within the calls and keeps the call that it is round", () => {
    const ranges = fc
      .tuple(fc.integer({ min: 1, max: 5000 }), fc.nat(4999), fc.nat(4999), fc.nat(4999))
      .map(([all, one, other, at]) => {
        const [low, high] = [one % all, other % all].sort((a, b) => a - b);
        const [from, to] = [low ?? 0, (high ?? 0) + 1];
        return { all, from, to, at: from + (at % (to - from)) };
      });
    fc.assert(
      fc.property(ranges, fc.constantFrom(0.5, 1, 2, 1.3), ({ all, from, to, at }, factor) => {
        const next = zoomed({ from, to }, all, { at, factor });

        expect(next.from).toBeGreaterThanOrEqual(0);
        expect(next.to).toBeLessThanOrEqual(all);
        expect(next.from).toBeLessThanOrEqual(at);
        expect(next.to).toBeGreaterThan(at);
      }),
    );
  });

  test("a call outside the range comes into its middle", () => {
    expect(zoomed({ from: 0, to: 10 }, 100, { at: 57, factor: 1 })).toEqual({ from: 52, to: 62 });
  });
});

test("totals of calls are calibrated, and the system prompts are in the overhead", () => {
  const changes = [
    [0, 10],
    [1, 100],
  ] as const;
  const timeline = {
    parts: [
      { kind: "system", name: "system prompts" },
      { kind: "messages", name: "messages" },
    ],
    calls: [
      call({ call: 1, changes }),
      call({ call: 2, problem: "missing" }),
      call({ call: 3, changes: [[0, 40]] }),
    ],
    calibration: { factor: 1.5, overhead: 30 },
  } as const;

  expect([...callTotals(timeline)]).toEqual([180, 0, 210]);
  expect(callParts(timeline, 0).map(({ kind, tokens }) => [kind, tokens])).toEqual([
    ["messages", 150],
    ["host", 15],
    ["system", 15],
  ]);
});

describe("the version that the page of an object shows", () => {
  test("is the wanted one, else the newest one that can be asked for", () => {
    expect(shownVersion({ version: 4 }, undefined)).toBe(4);
    expect(shownVersion({ version: 4 }, 2)).toBe(2);
    expect(shownVersion({ version: 4, included: [1, 3] }, undefined)).toBe(3);
    expect(shownVersion({ version: 4, included: [] }, undefined)).toBe(4);
    expect(isIncluded({ included: [1, 3] }, 2)).toBe(false);
    expect(isIncluded({ included: [1, 3] }, 3)).toBe(true);
    expect(isIncluded({}, 2)).toBe(true);
  });
});

describe("runs of calls", () => {
  test("are calls without a gap", () => {
    expect(callRuns([2, 3, 7, 9, 10, 11])).toEqual([
      { from: 2, to: 3 },
      { from: 7, to: 7 },
      { from: 9, to: 11 },
    ]);
    expect(callRuns([])).toEqual([]);
  });
});
