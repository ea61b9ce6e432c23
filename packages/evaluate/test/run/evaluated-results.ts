import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Results } from "../../src/model/plan.ts";
import { openTestModel, type TestModelOptions } from "../../src/models/test-model.ts";
import { evaluate, type EvaluateOptions } from "../../src/run/evaluate.ts";
import { readResults } from "../../src/run/results-folder.ts";
import { runHost } from "./run-host.ts";

/** A model for tests whose options follow from the arm and the seed of the run. */
export function modelBy(
  of: (arm: string, seed: number) => Omit<TestModelOptions, "task">,
): EvaluateOptions["model"] {
  return {
    name: "test/by-arm",
    open: async ({ task, seed, arm }) => await openTestModel({ ...of(arm.name, seed), task }),
  };
}

/** The results of an evaluation with the host of a few lines. */
export async function resultsOf(
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
