import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { dropsNewest, withoutHandles } from "../../src/models/planted.ts";
import { openTestModel, type TestModelOptions } from "../../src/models/test-model.ts";
import type { Results } from "../../src/model/plan.ts";
import { evaluationTable } from "../../src/report/evaluation-table.ts";
import { evaluate, type EvaluateOptions } from "../../src/run/evaluate.ts";
import { readResults } from "../../src/run/results-folder.ts";
import { keepingArm, runHost } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

/** A model for tests whose options follow from the arm and the seed of the run. */
function modelBy(
  of: (arm: string, seed: number) => Omit<TestModelOptions, "task">,
): EvaluateOptions["model"] {
  return {
    name: "test/by-arm",
    open: async ({ task, seed, arm }) => await openTestModel({ ...of(arm.name, seed), task }),
  };
}

async function resultsOf(
  given: Pick<EvaluateOptions, "arms" | "tasks" | "model">,
): Promise<Results> {
  const out = await mkdtemp(join(tmpdir(), "scm-differences-"));
  try {
    await evaluate({ out, host: runHost(), version: "test", parallel: 4, ...given });
    return await readResults(out);
  } finally {
    await rm(out, { recursive: true });
  }
}

describe("an evaluation with the forgetful model", () => {
  it.each([
    ["that loses the newest result", dropsNewest],
    ["whose lines name no handle", withoutHandles],
  ])("finds a view %s", async (_, planted) => {
    const results = await resultsOf({
      arms: [keepingArm("plain", 2), { ...keepingArm("planted", 2), title: "With a fault." }],
      tasks: new Map([[1, smallTasks(6)]]),
      model: modelBy((arm) => ({
        kind: "forgetful",
        seed: 1,
        ...(arm === "planted" ? { sees: planted } : {}),
      })),
    });

    const [, faulty] = evaluationTable(results).arms;
    expect(faulty?.comparison).toMatchObject({ both: 0, onlyBaseline: 6, nonInferiority: "worse" });
  });

  it("finds that a view which keeps one result is too short for two facts", async () => {
    const results = await resultsOf({
      arms: [keepingArm("plain"), keepingArm("short", 1)],
      tasks: new Map([[1, smallTasks(6)]]),
      model: modelBy(() => ({ kind: "forgetful", seed: 1 })),
    });

    const [, short] = evaluationTable(results).arms;
    expect(short?.comparison).toMatchObject({ nonInferiority: "worse" });
  });
});
