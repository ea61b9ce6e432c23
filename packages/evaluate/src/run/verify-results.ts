import { defined, messageOf } from "@self-context-manager/objects";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { measureRun } from "../measure/measure-run.ts";
import type { MeteredRun } from "../meter/meter.ts";
import { type KeptRequest, readRequests } from "../meter/request-file.ts";
import type { RunRecord } from "../model/run-record.ts";
import type { Task } from "../model/task.ts";
import { checkTask } from "../tasks/check-task.ts";
import { ownTasks } from "../tasks/own-tasks.ts";
import { taskHash } from "../tasks/task-hash.ts";
import { keyOf, type PlannedRun, plannedRuns } from "./make-plan.ts";
import { readResultJson } from "./result-files.ts";
import { openResults, runFolder } from "./results-folder.ts";
import type { KeptTask } from "./run-task.ts";
import { verifyStore } from "./verify-store.ts";

export interface VerifyOptions {
  readonly onProgress?: (done: number, all: number) => void;
}

/** Something in results that is not as its runs say. */
export interface ResultProblem {
  /** The name of the run's folder. */
  readonly run: string;
  readonly text: string;
}

export interface VerifiedResults {
  /** Runs that were looked at. */
  readonly runs: number;
  readonly problems: readonly ResultProblem[];
}

/**
 * Checks results, one's own or others', from what the runs kept: the key and the hash of the task, the checks on the kept
 * workspace, the figures and the failure from the kept requests and answers, and every view in the kept store. Rejects with
 * `EvaluateError` and `EVALUATE_FILE` if the plan cannot be read or was changed.
 */
export async function verifyResults(
  folder: string,
  { onProgress }: VerifyOptions = {},
): Promise<VerifiedResults> {
  const { plan, preregistered } = await openResults(folder);
  const problems: ResultProblem[] = [];
  const runs = plannedRuns(plan);
  const tasksOf = ownTasksBySeed();
  let looked = 0;
  for (const [index, run] of runs.entries()) {
    const place = runFolder(folder, run);
    const found = await problemsOf(folder, run, { preregistered, tasksOf });
    if (found !== undefined) {
      looked += 1;
      problems.push(...found.map((text) => ({ run: basename(place), text })));
    }
    onProgress?.(index + 1, runs.length);
  }
  return { runs: looked, problems };
}

/** What is the same for all runs of the results. */
interface Known {
  readonly preregistered: string | undefined;
  readonly tasksOf: (seed: number) => readonly Task[];
}

/** Making the own tasks takes longer than the rest of a small run's verification. */
function ownTasksBySeed(): Known["tasksOf"] {
  const made = new Map<number, readonly Task[]>();
  return (seed) => {
    const tasks = made.get(seed) ?? ownTasks(seed);
    made.set(seed, tasks);
    return tasks;
  };
}

/** Returns what is wrong with a run; undefined if it is not done. */
async function problemsOf(
  folder: string,
  run: PlannedRun,
  { preregistered, tasksOf }: Known,
): Promise<readonly string[] | undefined> {
  const place = runFolder(folder, run);
  const record = await read<RunRecord>(join(place, "run.json"));
  if (record === undefined) return undefined;
  try {
    return [
      ...identity(record, run, preregistered),
      ...(await workOf(place, run, { record, tasksOf })),
    ];
  } catch (error) {
    return [`it cannot be checked: ${messageOf(error)}`];
  }
}

function identity(
  record: RunRecord,
  { key, parts }: PlannedRun,
  preregistered: string | undefined,
): readonly string[] {
  const problems: string[] = [];
  const own = Object.fromEntries(
    Object.keys(parts).map((name) => [name, record[name as keyof RunRecord]]),
  );
  if (record.key !== key || JSON.stringify(own) !== JSON.stringify(parts) || keyOf(parts) !== key)
    problems.push("run.json names other parts than the plan");
  if (preregistered !== undefined && Date.parse(record.began) < Date.parse(preregistered))
    problems.push(`it began at ${record.began}, before the plan was preregistered`);
  return problems;
}

async function workOf(
  place: string,
  run: PlannedRun,
  { record, tasksOf }: Pick<Known, "tasksOf"> & { readonly record: RunRecord },
): Promise<readonly string[]> {
  const kept = await read<KeptTask>(join(place, "task.json"));
  if (kept === undefined) return ["it has no task.json"];
  const { task } = kept;
  const problems: string[] = [];
  if (taskHash(task) !== run.parts.taskHash) problems.push("task.json is not the task of the plan");
  const own = tasksOf(run.parts.seed).find(({ name }) => name === task.name);
  if (own !== undefined && own.version === task.version && taskHash(own) !== run.parts.taskHash)
    problems.push("the task has the name of an own task and is another one");
  const answers = new Map<number, string>(
    Object.entries((await read<Record<string, string>>(join(place, "answers.json"))) ?? {}).map(
      ([step, text]) => [Number(step), text],
    ),
  );
  const metered = keptCalls(readRequests(join(place, "requests.jsonl")));
  problems.push(...unknownAnswers(answers, metered));
  const scratch = await mkdtemp(join(tmpdir(), "scm-verify-"));
  try {
    const checks = await checkTask(task, { workspace: join(place, "work"), answers, scratch });
    const faults = run.arm.isManaged ? await verifyStore(join(place, "store", "store.sqlite")) : [];
    const again = measureRun({
      run,
      task,
      began: record.began,
      played: {
        end: record.end,
        ...defined({ error: record.failure?.evidence }),
        answers,
        milliseconds: record.figures.seconds * 1000,
        notices: record.notices ?? [],
      },
      checks,
      metered,
      faults,
    });
    problems.push(...differences(record, again));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return problems;
}

/** The calls of a run as the meter kept them. */
type KeptCalls = Pick<MeteredRun, "calls" | "answers" | "requestBody">;

function keptCalls(requests: readonly KeptRequest[]): KeptCalls {
  const ended = requests.flatMap(({ number, body, call, answer }) =>
    call === undefined || answer === undefined ? [] : [{ number, body, call, answer }],
  );
  const bodies = new Map(ended.map(({ number, body }) => [number, body]));
  return {
    calls: ended.map(({ call }) => call),
    answers: ended.map(({ answer }) => answer),
    requestBody: (number) => bodies.get(number) ?? "",
  };
}

/** Answers that no request of their turn was answered with. */
function unknownAnswers(
  answers: ReadonlyMap<number, string>,
  { calls, answers: metered }: KeptCalls,
): readonly string[] {
  return [...answers].flatMap(([step, text]) => {
    const given = calls.flatMap((call, index) =>
      call.step === step ? [metered[index]?.text.trim()] : [],
    );
    return text.trim() === "" || given.includes(text.trim())
      ? []
      : [`the answer to step ${step} is in none of its requests`];
  });
}

function differences(record: RunRecord, again: RunRecord): readonly string[] {
  const parts = ["isSolved", "checks", "failure", "figures", "facts"] as const;
  const unnamed = again.faults.filter((fault) => !record.faults.includes(fault));
  const differing = parts.flatMap((part) => {
    const [written, found] = [record[part], again[part]].map((value) =>
      JSON.stringify(sorted(value)),
    );
    return written === found
      ? []
      : [`${part} in run.json: ${cut(written)}; from what the run kept: ${cut(found)}`];
  });
  return [...differing, ...unnamed];
}

/** The evidence of a check can name times and places of the run, so only what it decided is compared. */
function sorted(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, one: unknown) => (key === "evidence" ? "" : one)),
  );
}

function cut(text: string | undefined): string {
  return text === undefined || text.length <= 300 ? (text ?? "nothing") : `${text.slice(0, 300)}…`;
}

/** Reads a file that the package wrote itself. */
async function read<Value>(path: string): Promise<Value | undefined> {
  return (await readResultJson(path)) as Value | undefined;
}
