import { describe, expect, test } from "vitest";

import type { RunRecord } from "../../src/model/run-record.ts";
import { evaluationTable, tableAlarms } from "../../src/report/evaluation-table.ts";
import { madeResults } from "./made-results.ts";

const few = { samples: 400 };

/** Results in which some records are replaced. */
function changed(
  results: ReturnType<typeof madeResults>,
  change: (record: RunRecord, index: number) => RunRecord | undefined,
): ReturnType<typeof madeResults> {
  return {
    ...results,
    records: results.records.flatMap((record, index) => change(record, index) ?? []),
  };
}

describe("the table of an evaluation", () => {
  test("adds up the runs of each arm", () => {
    const results = madeResults({ tasks: 6, seeds: 2 });
    const own = results.records.filter(({ arm }) => arm === "default");

    const [plain, arm] = evaluationTable(results, few).arms;

    expect(plain).toMatchObject({ name: "plain", isBaseline: true, runs: 12 });
    expect(plain).not.toHaveProperty("comparison");
    expect(arm).toMatchObject({
      name: "default",
      isBaseline: false,
      runs: 12,
      solved: own.filter(({ isSolved }) => isSolved).length,
      sums: {
        calls: own.reduce((sum, { figures }) => sum + figures.calls, 0),
        output: own.reduce((sum, { figures }) => sum + figures.output, 0),
      },
      contextTools: {
        activate: own.reduce(
          (sum, { figures }) => sum + (figures.contextTools["activate"] ?? 0),
          0,
        ),
      },
    });
  });

  test("compares runs of the same task and seed only", () => {
    const results = changed(madeResults({ tasks: 8, seeds: 2 }), (record) =>
      record.arm === "plain" && record.task.endsWith("-1") && record.seed === 2
        ? undefined
        : record,
    );

    const table = evaluationTable(results, few);

    expect(table.arms[1]).toMatchObject({ runs: 16, comparison: { pairs: 15, tasks: 8 } });
    expect(table.missing).toEqual([{ arm: "plain", task: "coding/task-1", seed: 2 }]);
    expect(table).toMatchObject({ planned: 32, results: 31 });
  });

  test.each<readonly [string, Partial<RunRecord>, string]>([
    ["the budget ended", { end: "budget" }, "the budget was spent before it ended"],
    ["have a fault", { faults: ["view 3 does not verify"] }, "view 3 does not verify"],
    ["have faults", { faults: ["a", "b", "c"] }, "a (and 2 more)"],
    [
      "are of another model",
      { model: "other" },
      "its model is other, and the plan has made/model-1",
    ],
    ["are of another version", { version: "9" }, "its version is 9, and the plan has 0.1.0"],
    ["are of another arm", { arm: "other" }, "its arm is not in the plan"],
    [
      "are of a changed arm",
      { armHash: "other" },
      "its arm is not the one that the plan has: the hashes differ",
    ],
    ["are of another task", { task: "other" }, "its task is not in the plan"],
    ["are of another seed", { seed: 9 }, "its seed is not in the plan"],
    [
      "are of a changed task",
      { taskHash: "other" },
      "its task is not the one that the plan has: the hashes differ",
    ],
  ])("leaves out runs that %s", (_, part, reason) => {
    const results = changed(madeResults({ tasks: 6 }), (record, index) =>
      index === 0 ? { ...record, ...part } : record,
    );

    const table = evaluationTable(results, few);

    expect(table.excluded).toEqual([{ record: results.records[0], reason }]);
    expect(table.missing).toEqual([{ arm: "plain", task: "coding/task-1", seed: 1 }]);
    expect(table.arms[0]?.runs).toBe(11);
  });

  test("counts the first of two results of one run", () => {
    const results = madeResults({ tasks: 6 });
    const [first] = results.records;
    if (first === undefined) throw new Error("there are no runs");
    const twice = { ...results, records: [...results.records, { ...first, isSolved: false }] };

    const table = evaluationTable(twice, few);

    expect(table.arms).toEqual(evaluationTable(results, few).arms);
    expect(table.excluded.map(({ reason }) => reason)).toEqual([
      "a second result for the same arm, task and seed",
    ]);
  });

  test("is the same for runs in another order", () => {
    const results = madeResults({ tasks: 8 });

    const table = evaluationTable({ ...results, records: results.records.toReversed() }, few);

    expect(table).toEqual(evaluationTable(results, few));
  });

  test("counts failed runs by kind, as other without a reason", () => {
    const results = changed(madeResults({ tasks: 6, seeds: 1 }), (record) => {
      const { failure: _, ...rest } = record;
      if (record.task === "memory/task-3") return { ...rest, isSolved: false };
      if (record.task === "coding/task-5")
        return { ...rest, isSolved: false, failure: { kind: "stale", evidence: "e" } };
      return { ...rest, isSolved: true };
    });

    const table = evaluationTable(results, few);

    expect(table.arms[1]?.failures).toEqual({ other: 1, stale: 1 });
    expect(
      table.failures.map(({ record, failure }) => [record.arm, record.task, failure.kind]),
    ).toEqual([
      ["plain", "memory/task-3", "other"],
      ["default", "memory/task-3", "other"],
      ["plain", "coding/task-5", "stale"],
      ["default", "coding/task-5", "stale"],
    ]);
  });

  test("has no dollars if prices are unknown, and no ratio to a baseline of 0", () => {
    const [, arm] = evaluationTable(madeResults({ isPriced: false }), few).arms;

    expect(arm?.means).not.toHaveProperty("dollars");
    expect(arm?.comparison?.ratios).not.toHaveProperty("dollars");
    expect(arm?.means).toHaveProperty("contextCalls");
    expect(arm?.comparison?.ratios).not.toHaveProperty("contextCalls");
  });

  test("shows facts that no request had", () => {
    const results = changed(madeResults({ tasks: 6, seeds: 1 }), (record) => ({
      ...record,
      facts: [
        { fact: "a", step: 1, seen: record.arm === "plain" ? "at-once" : "never", isStale: false },
        { fact: "b", step: 1, seen: "later", isStale: true },
      ],
    }));

    const [plain, arm] = evaluationTable(results, few).arms;

    expect(plain?.facts).toMatchObject({ needed: 12, later: 6, never: 0, stale: 6 });
    expect(arm?.facts).toMatchObject({
      needed: 12,
      never: 6,
      neverShare: { value: 0.5 },
      staleShare: { value: 0.5 },
    });
  });

  test("has the figures of each family and the runs of each task", () => {
    const table = evaluationTable(madeResults({ tasks: 8, seeds: 3 }), few);

    expect(table.families.map(({ family, tasks }) => [family, tasks])).toEqual([
      ["coding", 2],
      ["long-episode", 2],
      ["memory", 2],
      ["interference", 2],
    ]);
    expect(table.families.map(({ arms }) => arms[1]?.runs)).toEqual([6, 6, 6, 6]);
    expect(table.tasks[7]).toMatchObject({ name: "interference/task-8" });
    expect(table.tasks[7]?.arms[1]?.runs.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  });

  test("finds a planted difference and an arm that is no worse", () => {
    const arms = [
      { name: "plain" },
      { name: "default", cost: 0.6 },
      { name: "broken", cost: 0.6, solved: 0.4 },
    ];

    const [, same, broken] = evaluationTable(madeResults({ arms, tasks: 120, seeds: 3 }), few).arms;

    expect(broken?.comparison?.nonInferiority).toBe("worse");
    expect(broken?.comparison?.p).toBeLessThan(0.001);
    expect(same?.comparison?.nonInferiority).not.toBe("worse");
    const ratio = same?.comparison?.ratios["dollars"];
    expect(ratio).toMatchObject({ value: expect.closeTo(0.6, 1) as number });
    expect(ratio).toHaveProperty("upper", expect.closeTo(0.62, 1));
  });

  test("exists for a plan without runs", () => {
    const table = evaluationTable({ ...madeResults({ tasks: 2 }), records: [] }, few);

    expect(table).toMatchObject({ planned: 8, results: 0, failures: [] });
    expect(table.missing).toHaveLength(8);
    expect(table.arms[1]?.comparison?.pairs).toBe(0);
  });
});

describe("the false alarms of A/A evaluations", () => {
  const tables = (solved: number): ReturnType<typeof tableAlarms> =>
    tableAlarms(
      Array.from({ length: 20 }, (_, seed) => {
        const arms = [{ name: "plain" }, { name: "again", solved }];
        return evaluationTable(madeResults({ arms, seed, seeds: 3 }), { samples: 100 });
      }),
    );

  test("in solved runs are no more than a rate of 5 % explains", () => {
    const counts = tables(1).filter(({ test: name }) => !name.startsWith("ratio"));

    expect(counts.map(({ test: name, comparisons }) => [name, comparisons])).toEqual([
      ["mcnemar", 20],
      ["difference", 20],
      ["worse", 20],
    ]);
    for (const { rate } of counts) expect(rate.lower).toBeLessThanOrEqual(0.05);
  });

  test("are counted where an arm is not the same", () => {
    const counts = tables(0.3).filter(({ test: name }) => !name.startsWith("ratio"));

    for (const { alarms } of counts) expect(alarms).toBe(20);
  });

  test("of no tables are none", () => {
    expect(tableAlarms([])).toEqual([]);
  });
});
