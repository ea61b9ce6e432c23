import * as fc from "fast-check";
import { expect, test } from "vitest";

import { evidenceOf, type UsedGram } from "../src/measure/evidence.ts";
import { fewestObjects, replaySegment } from "../src/measure/replay-segment.ts";
import type { CallView, FetchedLines, StrategyRun } from "../src/measure/call-view.ts";
import { calls, result, says, user, words } from "./made-sessions.ts";

const rows = [
  user("look"),
  calls("a", "read", { path: "a.ts" }),
  result("a", "read", words("x", 30)),
  says(words("x", 10)),
  user("and"),
  says("nothing more"),
];

test("hidden evidence is a miss, and asking for it makes a call", async () => {
  const evidence = evidenceOf(rows);
  const asked: number[] = [];
  const run = hiding(asked);

  const { miss, requests } = await replaySegment(run, 3, evidence, { charge: "objects" });

  expect([miss.used, miss.missed, miss.grams, miss.missedGrams]).toEqual([1, 1, 3, 3]);
  expect(asked).toEqual([1]);
  expect(requests.map((one) => one.asked.length)).toEqual([0, 1, 0]);
});

test("the model asks only for lines of a long text", async () => {
  const lines = Array.from({ length: 200 }, (_, line) => words(`l${line}x`, 12)).join("\n");
  const long = [...rows.slice(0, 2), result("a", "read", lines), says(words("l90x", 12))];
  const asked: unknown[] = [];
  const run = hiding([]);

  const { requests } = await replaySegment(
    { ...run, activate: (object, range) => (asked.push([object, range]), run.activate(object)) },
    2,
    evidenceOf(long),
    { charge: "lines" },
  );

  const [[object, range] = []] = asked as [number, FetchedLines][];
  expect(object).toBe(1);
  expect(range?.from).toBeGreaterThan(1);
  expect(range?.from).toBeLessThanOrEqual(86);
  expect(range?.to).toBeGreaterThanOrEqual(96);
  const [fetched] = requests[1]?.asked ?? [];
  expect(fetched?.content).toBe((range?.tokens ?? 0) + 140);
  expect(fetched?.prompt.parts).toHaveLength(1);
});

test("without charging the model asks for nothing", async () => {
  const asked: number[] = [];

  const { miss } = await replaySegment(hiding(asked), 3, evidenceOf(rows));

  expect([miss.missed, asked]).toEqual([1, []]);
});

test("the model asks for the fewest objects, and among equal sets for the newest", () => {
  expect(fewestObjects(gramsIn([[0, 1], [1, 2], [1]]))).toEqual([1]);
  expect(fewestObjects(gramsIn([[0, 4, 2]]))).toEqual([4]);
  expect(fewestObjects(gramsIn([[0], [1], [0, 2]]))).toHaveLength(2);
  expect(fewestObjects([])).toEqual([]);
});

test("for any holders, the requested objects contain everything that is missing", () => {
  const holders = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1 }));
  fc.assert(
    fc.property(holders, (sets) => {
      const taken = fewestObjects(gramsIn(sets));
      expect(sets.every((set) => set.some((object) => taken.includes(object)))).toBe(true);
      expect(taken.length).toBeLessThanOrEqual(sets.length);
    }),
  );
});

/** Shows only the objects that were asked for. */
function hiding(asked: number[]): StrategyRun {
  const view = (): CallView => ({
    parts: [{ key: "prefix", tokens: 10 }, ...asked.map((object) => ({ key: object, tokens: 50 }))],
    shown: (object) => (asked.includes(object) ? "whole" : "none"),
  });
  return {
    view,
    activate(object) {
      asked.push(object);
      return view();
    },
  };
}

function gramsIn(sets: readonly (readonly number[])[]): readonly UsedGram[] {
  return sets.map((objects) => ({
    isStrict: true,
    isOutput: true,
    isTalk: false,
    places: [],
    holders: objects.map((object) => ({ object, start: 0, end: 1 })),
  }));
}
