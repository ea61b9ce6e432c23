import { defined } from "@self-context-manager/objects";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { EvaluateError } from "../model/evaluate-error.ts";
import type { Plan, Results } from "../model/plan.ts";
import type { RunRecord } from "../model/run-record.ts";
import { readResultJson, unreadableFile } from "./result-files.ts";
import { plannedRuns, type PlannedRun, planHash } from "./make-plan.ts";

/** The plan as `plan.json` has it. */
interface PlanFile {
  readonly format: 1;
  readonly planHash: string;
  /** When the plan was preregistered, as ISO 8601. */
  readonly preregistered?: string;
  readonly plan: Plan;
}

/** The place of a plan and of its runs. */
export interface ResultsFolder {
  readonly folder: string;
  readonly plan: Plan;
  readonly planHash: string;
  readonly preregistered?: string;
}

/** Returns the folder of a run. Its name shows the run to a person; the key makes it unique. */
export function runFolder(folder: string, { key, parts }: PlannedRun): string {
  const name = [parts.task.replaceAll("/", "-"), parts.arm, String(parts.seed), key].join("--");
  return join(folder, "runs", name.replaceAll(/[^\w.-]/gu, "_"));
}

export interface WritePlanOptions {
  /** The time at which the plan is preregistered, as ISO 8601. Default: it is not. */
  readonly preregistered?: string;
}

/**
 * Writes a plan into its folder, or continues the equal plan that is there. A plan that is not preregistered can be
 * replaced, for example by one with more seeds: runs that both plans have are kept. Rejects with `EvaluateError` and
 * `EVALUATE_PLAN` if the folder has another plan that was preregistered, and with `EVALUATE_FILE` if it has other files.
 */
export async function writePlan(
  folder: string,
  plan: Plan,
  { preregistered }: WritePlanOptions = {},
): Promise<ResultsFolder> {
  const hash = planHash(plan);
  const known = await planIn(folder);
  const isRegistered = preregistered === undefined || known?.preregistered !== undefined;
  if (known?.planHash === hash && isRegistered) return { folder, ...known };
  if (known?.preregistered !== undefined)
    throw new EvaluateError(
      "EVALUATE_PLAN",
      `${folder} has another plan (${known.planHash.slice(0, 12)}), which was preregistered at ${known.preregistered}; what differs is ${differences(known.plan, plan)}. Repeat its options, or choose another folder`,
    );
  if (preregistered !== undefined && (await readRecords(folder)).length > 0)
    throw new EvaluateError(
      "EVALUATE_PLAN",
      `${folder} has runs already; a plan is preregistered before the first run, so choose another folder`,
    );
  if (known === undefined) await checkEmpty(folder);
  const file: PlanFile = {
    format: 1,
    planHash: hash,
    ...defined({ preregistered }),
    plan,
  };
  await mkdir(join(folder, "runs"), { recursive: true });
  await writeWhole(join(folder, "plan.json"), `${JSON.stringify(file, undefined, 2)}\n`);
  return { folder, ...file };
}

/** Keeps an evaluation out of a folder of the user's that is something else. */
async function checkEmpty(folder: string): Promise<void> {
  const other = (await namesIn(folder)).find(
    (name) => !ownNames.has(name) && !name.startsWith("."),
  );
  if (other !== undefined)
    throw new EvaluateError(
      "EVALUATE_FILE",
      `${folder} has no plan.json, and it has ${JSON.stringify(other)}, which is not of an evaluation; choose a new folder for the results`,
    );
}

/** What is there before the plan, or after it was deleted. */
const ownNames: ReadonlySet<string> = new Set([
  "lock",
  "report.html",
  "report.json",
  "runs",
  "spent.jsonl",
]);

/** Reads the plan of a folder. Rejects with `EvaluateError` and `EVALUATE_FILE` if there is none. */
export async function openResults(folder: string): Promise<ResultsFolder> {
  const known = await planIn(folder);
  if (known === undefined)
    throw new EvaluateError(
      "EVALUATE_FILE",
      `${folder} has no plan.json; name a folder that scm evaluate has written`,
    );
  return { folder, ...known };
}

/** Reads the plan of a folder with those of its runs that are done. */
export async function readResults(folder: string): Promise<Results> {
  const { plan, planHash: hash, preregistered } = await openResults(folder);
  const wanted = new Set(plannedRuns(plan).map(({ key }) => key));
  const records = (await readRecords(folder)).filter(({ key }) => wanted.has(key));
  return {
    plan,
    planHash: hash,
    ...defined({ preregistered }),
    records,
  };
}

/** Reads the results of all runs in a folder, also those of an earlier plan, by name of their folder. */
export async function readRecords(folder: string): Promise<readonly RunRecord[]> {
  // A run that was being moved when the process was killed is not whole.
  const names = (await namesIn(join(folder, "runs"))).filter((name) => !name.endsWith(".tmp"));
  const records = await Promise.all(
    names.map(async (name) => await readResultJson(join(folder, "runs", name, "run.json"))),
  );
  // The package wrote the file itself, as a whole.
  return records.filter((one) => one !== undefined) as unknown as readonly RunRecord[];
}

/** Writes a file that is whole or not there, even if the process is killed. */
async function writeWhole(path: string, text: string): Promise<void> {
  const made = `${path}.${process.pid}.tmp`;
  await writeFile(made, text);
  await rename(made, path);
}

async function planIn(folder: string): Promise<PlanFile | undefined> {
  const path = join(folder, "plan.json");
  const file = await readResultJson(path);
  if (file === undefined) return undefined;
  const { format, planHash: hash, plan } = file as Partial<PlanFile>;
  if (format !== 1 || plan === undefined || hash === undefined)
    throw new EvaluateError(
      "EVALUATE_FILE",
      `${path} is not a plan of format 1, which this version writes`,
    );
  if (planHash(plan) !== hash)
    throw new EvaluateError(
      "EVALUATE_FILE",
      `${path} was changed: its plan does not have the hash that it names`,
    );
  return file as PlanFile;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw unreadableFile(folder, cause);
  }
}

/** The names of the parts in which two plans differ. */
function differences(one: Plan, other: Plan): string {
  const names = Object.keys(one) as (keyof Plan)[];
  return names
    .filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
    .join(", ");
}
