import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Plan } from "../../src/model/plan.ts";
import { makePlan, type PlanOptions, plannedRuns } from "../../src/run/make-plan.ts";
import { readResults, runFolder, writePlan } from "../../src/run/results-folder.ts";
import { runsLeft } from "../../src/run/run-plan.ts";
import { keepingArm } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

function plan(given: Partial<PlanOptions> = {}): Plan {
  const tasks = new Map([[1, smallTasks(1)]]);
  return makePlan({
    arms: [keepingArm("plain")],
    tasks,
    model: "m",
    host: "h",
    version: "1",
    ...given,
  });
}

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "scm-results-test-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Puts a run of a plan into the folder. */
async function addRun(of: Plan, end = ""): Promise<void> {
  const [run] = plannedRuns(of);
  if (run === undefined) throw new TypeError("the plan has one run");
  const place = `${runFolder(folder, run)}${end}`;
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "run.json"), JSON.stringify({ key: run.key }));
}

const preregistered = "2026-01-01T00:00:00.000Z";

describe("the folder of results", () => {
  it("does not count a run that was being moved when the process was killed", async () => {
    const results = await writePlan(folder, plan());
    await addRun(results.plan, ".tmp");
    expect(await runsLeft(results)).toHaveLength(1);

    await addRun(results.plan);
    expect(await runsLeft(results)).toEqual([]);
  });

  it("has only the runs of its plan", async () => {
    await writePlan(folder, plan());
    await addRun(plan());
    await writePlan(folder, plan({ model: "another" }));

    expect((await readResults(folder)).records).toEqual([]);
  });

  it("preregisters the plan that it has already, unless there are runs", async () => {
    await writePlan(folder, plan());
    expect(await writePlan(folder, plan(), { preregistered })).toMatchObject({ preregistered });
    expect((await readResults(folder)).preregistered).toBe(preregistered);
    await addRun(plan());

    const later = "2026-01-02T00:00:00.000Z";
    expect(await writePlan(folder, plan(), { preregistered: later })).toMatchObject({
      preregistered,
    });
  });

  it("does not preregister a plan that has runs", async () => {
    await writePlan(folder, plan());
    await addRun(plan());

    await expect(writePlan(folder, plan(), { preregistered })).rejects.toThrow(/has runs already/u);
  });

  it("refuses a plan that was changed, and a folder of something else", async () => {
    await writeFile(join(folder, "notes.txt"), "mine");
    await expect(writePlan(folder, plan())).rejects.toThrow(/"notes.txt"/u);
    await rm(join(folder, "notes.txt"));

    await writePlan(folder, plan());
    const path = join(folder, "plan.json");
    await writeFile(path, JSON.stringify({ format: 1, planHash: "0", plan: plan() }));
    await expect(readResults(folder)).rejects.toThrow(/was changed/u);
  });
});

describe("makePlan", () => {
  it("gives runs with another arm, task or seed another key", () => {
    const arm = keepingArm("plain");
    const tasks = new Map([
      [1, smallTasks(2)],
      [2, smallTasks(2)],
    ]);
    const plans = [
      plan({ tasks }),
      plan({ arms: [{ ...arm, environment: { KEEPS: "1" } }] }),
      plan({ tasks: new Map([[1, smallTasks(1, 2)]]) }),
    ];
    const keys = plans.flatMap((one) => plannedRuns(one).map(({ key }) => key));

    expect(new Set(keys).size).toBe(6);
  });

  it("refuses an arm or a task that is named twice", () => {
    const arm = keepingArm("plain");
    const [task] = smallTasks(1);
    if (task === undefined) throw new TypeError("there is one task");

    expect(() => plan({ arms: [arm, arm] })).toThrow(/named twice/u);
    expect(() => plan({ tasks: new Map([[1, [task, task]]]) })).toThrow(/there are 2 tasks/u);
  });
});
