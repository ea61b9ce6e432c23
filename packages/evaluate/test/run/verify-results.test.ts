import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { evaluate, type EvaluateOptions } from "../../src/run/evaluate.ts";
import { testModel } from "../../src/run/evaluated-model.ts";
import { verifyResults } from "../../src/run/verify-results.ts";
import { keepingArm, runHost } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

/** Replaces a text in a file of a run, and returns what verification finds. */
async function found(file: string, from: RegExp, to: string): Promise<readonly string[]> {
  const out = await mkdtemp(join(tmpdir(), "scm-verify-test-"));
  try {
    const options: EvaluateOptions = {
      out,
      arms: [keepingArm("plain")],
      tasks: new Map([[1, smallTasks(1)]]),
      host: runHost(),
      model: testModel("forgetful"),
      version: "test",
    };
    await evaluate({ ...options, preregister: true });
    await evaluate(options);
    const [run = ""] = await readdir(join(out, "runs"));
    const path = join(out, "runs", run, file);
    const text = await readFile(path, "utf8");
    expect(text).toMatch(from);
    await writeFile(path, text.replace(from, to));
    return (await verifyResults(out)).problems.map((problem) => problem.text);
  } finally {
    await rm(out, { recursive: true });
  }
}

it.each([
  ["another outcome", "run.json", /"isSolved": true/u, '"isSolved": false', /^isSolved/u],
  ["a run before the plan", "run.json", /"began": "\d+/u, '"began": "1999', /^it began at 1999/u],
  ["another cost", "run.json", /"dollars": [\d.]+/u, '"dollars": 0.001', /^figures/u],
  ["another arm", "run.json", /"arm": "plain"/u, '"arm": "other"', /names other parts/u],
  [
    "another answer",
    "answers.json",
    /The code is/u,
    "The best code is",
    /in none of its requests/u,
  ],
  ["a failure", "run.json", /"isSolved": true,/u, '"isSolved": true, "failure": {},', /^failure/u],
  ["another workspace", "work/out.txt", /41/u, "42", /^(?:isSolved|checks)/u],
  ["another task", "task.json", /Look around/u, "Look about", /not the task of the plan/u],
])("finds %s", async (_, file, from, to, problem) => {
  const problems = await found(file, from, to);

  expect(problems.some((text) => problem.test(text))).toBe(true);
});
