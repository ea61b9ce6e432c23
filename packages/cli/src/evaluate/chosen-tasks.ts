import type * as evaluate from "@self-context-manager/evaluate";
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";

import { UsageError } from "../cli-errors.ts";
import type { CommandCall, CommandOptions } from "../command.ts";
import { wholeNumber } from "../whole-number.ts";

type Package = Pick<typeof evaluate, "findTasks" | "loadSweInstances" | "loadTasks">;

/** The options that choose tasks. */
export const taskOptions: CommandOptions = {
  tasks: {
    value: "LIST",
    help: "names or families of tasks, or folders with tasks; default: all built-in tasks",
  },
  seeds: { value: "N", help: "variants of each task: the seeds 1 to N; default: 1" },
  "test-command": {
    value: "CMD",
    help: "for folders with instances.jsonl: runs tests, as in 'python -m pytest {tests}'",
  },
  "one-session": { help: "for such folders: one session does all instances, one after another" },
};

/** The tasks of each seed: own ones by name or family, those in folders, and instances in the form of SWE-bench. */
export async function chosenTasks(
  call: CommandCall,
  loaded: Package,
): Promise<evaluate.TasksBySeed> {
  const wanted = (call.text("tasks") ?? "all")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const names: string[] = [];
  const tasks: evaluate.Task[] = [];
  let hasInstances = false;
  for (const one of wanted) {
    const path = resolve(call.folder, one);
    const files = await readdir(path).catch(() => undefined);
    if (files === undefined) names.push(one);
    else if (files.some((name) => name === "instances.jsonl" || name === "instances.json")) {
      hasInstances = true;
      tasks.push(...(await loaded.loadSweInstances(path, sweOptions(call, one))));
    } else tasks.push(...(await loaded.loadTasks(path)));
  }
  const lonely = ["test-command", "one-session"].find(
    (name) => call.isSet(name) || call.text(name) !== undefined,
  );
  if (!hasInstances && lonely !== undefined)
    throw new UsageError(
      `--${lonely} belongs to a folder with instances.jsonl or instances.json; name one with --tasks`,
    );
  const seeds = Array.from({ length: wholeNumber(call, "seeds", 1) }, (_, index) => index + 1);
  return new Map(
    seeds.map((seed) => [
      seed,
      [...(names.length === 0 ? [] : loaded.findTasks(names, seed)), ...tasks],
    ]),
  );
}

function sweOptions(call: CommandCall, folder: string): evaluate.SweOptions {
  const testCommand = call.text("test-command");
  if (testCommand === undefined)
    throw new UsageError(
      `--test-command is missing: ${folder} has instances, and it says how their tests are run, as in 'python -m pytest {tests}'`,
    );
  return { testCommand, isOneSession: call.isSet("one-session") };
}
