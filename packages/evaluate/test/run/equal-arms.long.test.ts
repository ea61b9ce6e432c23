import { describe, expect, it } from "vitest";

import type { Results } from "../../src/model/plan.ts";
import { evaluationTable, tableAlarms } from "../../src/report/evaluation-table.ts";
import { randomNumbers } from "../../src/statistics/random-numbers.ts";
import { modelBy, resultsOf } from "./evaluated-results.ts";
import { keepingArm } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

describe("an evaluation of two equal arms", () => {
  it("finds a difference in at most 5 % of 200 experiments", async () => {
    const arm = keepingArm("pool");
    const seeds = Array.from({ length: 12 }, (_, index) => index + 1);
    const pool = await resultsOf({
      arms: [arm],
      tasks: new Map(seeds.map((seed) => [seed, smallTasks(10, seed)])),
      // A quarter of this is the share of wrong answers.
      model: modelBy((_, seed) => ({ kind: "scripted", seed, mistakes: 1 })),
    });
    const solved = pool.records.filter(({ isSolved }) => isSolved).length;
    expect(solved).toBeGreaterThan(60);
    expect(solved).toBeLessThan(110);

    const random = randomNumbers(7);
    const tables = Array.from({ length: 200 }, () => evaluationTable(drawn(pool, random)));

    expect(tables.every(({ results }) => results === 20)).toBe(true);
    const counts = new Map(tableAlarms(tables).map((count) => [count.test, count]));
    // Whether an arm solves less. The intervals of amounts have a level of 5 %, so more than 5 % of 200 can be chance.
    for (const test of ["mcnemar", "worse"])
      expect(counts.get(test)?.alarms).toBeLessThanOrEqual(10);
    expect(counts.get("mcnemar")?.comparisons).toBe(200);
    for (const { rate } of counts.values()) expect(rate.lower).toBeLessThanOrEqual(0.05);
  });
});

/** An experiment of two arms whose runs are drawn from those of one arm, without a run twice. */
function drawn({ plan, planHash, records }: Results, random: () => number): Results {
  const [arm] = plan.arms;
  if (arm === undefined) throw new TypeError("the pool has no arm");
  const runs = plan.tasks.flatMap(({ name, hashes }) => {
    const taskHash = hashes["1"] ?? "";
    const own = records.filter(({ task }) => task === name);
    const first = Math.floor(random() * own.length);
    const second = (first + 1 + Math.floor(random() * (own.length - 1))) % own.length;
    return [first, second].flatMap((place, index) => {
      const record = own[place];
      const other = index === 0 ? "a" : "b";
      return record === undefined
        ? []
        : [{ ...record, seed: 1, taskHash, arm: other, key: `${other} ${name}` }];
    });
  });
  return {
    planHash,
    plan: { ...plan, seeds: [1], arms: ["a", "b"].map((name) => ({ ...arm, name })) },
    records: runs,
  };
}
