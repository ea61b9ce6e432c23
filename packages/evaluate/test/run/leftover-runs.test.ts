import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { clearLeftoverRuns, runPlace } from "../../src/run/leftover-runs.ts";
import { plannedRuns, makePlan } from "../../src/run/make-plan.ts";
import { keepingArm } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

it("removes the folders and ends the processes of killed runs, and only those of its own results", async () => {
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
