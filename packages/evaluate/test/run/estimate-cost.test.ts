import { expect, it } from "vitest";

import type { RunRecord } from "../../src/model/run-record.ts";
import { estimateCost, pilotRuns } from "../../src/run/estimate-cost.ts";
import { makePlan, plannedRuns } from "../../src/run/make-plan.ts";
import { keepingArm } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

const left = plannedRuns(
  makePlan({
    arms: [keepingArm("plain")],
    tasks: new Map([[1, smallTasks(3)]]),
    model: "m",
    host: "h",
    version: "1",
  }),
);

/** The first two tasks are of one family, the last one is of another. */
const familyOf = (task: string): string => (task.endsWith("2") ? "coding" : "memory");

function record(family: RunRecord["family"], seconds: number, dollars?: number): RunRecord {
  const figures = {
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    calls: 1,
    turns: 1,
    seconds,
    peakInput: 0,
    overWindow: 0,
    rereads: 0,
    reruns: 0,
    contextTools: {},
    contextToolsUsed: 0,
  };
  const [run] = left;
  if (run === undefined) throw new TypeError("there are runs");
  return {
    ...run.parts,
    key: run.key,
    family,
    began: "",
    end: "finished",
    isSolved: true,
    checks: [],
    facts: [],
    faults: [],
    figures: dollars === undefined ? figures : { ...figures, dollars },
  };
}

it("estimates the rest by the mean of each family", () => {
  const done = [record("memory", 60, 1), record("memory", 180, 2), record("coding", 600, 8)];

  expect(estimateCost(left, done, familyOf)).toEqual({ runs: 3, minutes: 14, dollars: 11 });
});

it("has no dollars if those of a family are not known", () => {
  const unknown = [record("memory", 60, 1), record("memory", 60), record("coding", 60, 8)];

  expect(estimateCost(left, unknown, familyOf)).toEqual({ runs: 3, minutes: 3 });
  expect(estimateCost(left, [record("memory", 60, 1)], familyOf)).toEqual({ runs: 3, minutes: 2 });
});

it("begins with one run of each family", () => {
  expect(pilotRuns(left, familyOf).map(({ parts }) => parts.task)).toEqual([
    "memory/small-0",
    "memory/small-2",
  ]);
});
