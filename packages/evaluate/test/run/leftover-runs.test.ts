import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { evaluate } from "../../src/run/evaluate.ts";
import { testModel } from "../../src/run/evaluated-model.ts";
import { clearLeftoverRuns, runPlace } from "../../src/run/leftover-runs.ts";
import { makePlan, type PlannedRun, plannedRuns } from "../../src/run/make-plan.ts";
import { keepingArm, runHost } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

function plannedRun(): PlannedRun {
  const [run] = plannedRuns(
    makePlan({
      arms: [keepingArm("plain")],
      tasks: new Map([[1, smallTasks(1)]]),
      model: "m",
      host: "h",
      version: "1",
    }),
  );
  if (run === undefined) throw new TypeError("the plan has one run");
  return run;
}

it("an evaluation begins by removing what a killed one has left, also of another plan", async () => {
  const out = await mkdtemp(join(tmpdir(), "scm-evaluate-test-"));
  const place = runPlace(plannedRun(), out);
  await mkdir(place, { recursive: true });

  await evaluate({
    out,
    arms: [keepingArm("plain")],
    tasks: new Map([[1, smallTasks(1)]]),
    host: runHost(),
    model: testModel("forgetful"),
    version: "2",
  });

  expect(existsSync(place)).toBe(false);
  await rm(out, { recursive: true });
});

it("removes the folders and ends the processes of killed runs, and only those of its own results", async () => {
  const run = plannedRun();
  const [own, other] = ["/results/own", "/results/other"].map((results) => runPlace(run, results));
  if (own === undefined || other === undefined) throw new TypeError("there are two places");
  for (const place of [own, other]) await mkdir(place, { recursive: true });
  const child = spawn("sleep", ["1000"], {
    env: { ...process.env, HOME: join(own, "host", "user") },
  });
  await once(child, "spawn");
  const ended = once(child, "exit");

  await clearLeftoverRuns("/results/own");

  // Without /proc nothing is ended.
  if (process.platform !== "linux") child.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect([own, other].map((place) => existsSync(place))).toEqual([false, true]);
  await rm(other, { recursive: true });
});
