import { defined, messageOf } from "@self-context-manager/objects";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { measureRun } from "../measure/measure-run.ts";
import type { Meter, MeteredRun } from "../meter/meter.ts";
import type { EvaluationHost, HostSession } from "../model/host.ts";
import type { RunEnd, RunRecord } from "../model/run-record.ts";
import type { Task } from "../model/task.ts";
import { applyChange } from "../tasks/apply-change.ts";
import { canaryOf } from "../tasks/canary.ts";
import { checkTask } from "../tasks/check-task.ts";
import { prepareWorkspace } from "../tasks/prepare-workspace.ts";
import type { OpenedModel } from "./evaluated-model.ts";
import type { PlannedRun } from "./make-plan.ts";
import { checkAnswered } from "./check-answered.ts";
import { runPlace } from "./leftover-runs.ts";
import { runFolder } from "./results-folder.ts";
import { verifyStore } from "./verify-store.ts";
import { writePages } from "./write-pages.ts";

export interface RunTaskOptions {
  readonly run: PlannedRun;
  readonly task: Task;
  readonly host: EvaluationHost;
  readonly meter: Meter;
  /** The model of this run. */
  readonly model: OpenedModel;
  /** The folder of the results. */
  readonly results: string;
  /** Ends the run without a result. */
  readonly signal: AbortSignal;
}

/** How the prompts of a run went. */
interface PlayedTask {
  readonly end: RunEnd;
  /** The error of the host or the provider that ended the run. */
  readonly error?: string;
  /** The last text of the assistant by the index of the prompt in the steps. */
  readonly answers: ReadonlyMap<number, string>;
  /** Milliseconds of the prompts, without waits for rate limits. */
  readonly milliseconds: number;
  /** Warnings and errors that the host's extensions showed, each once. */
  readonly notices: readonly string[];
}

/**
 * Does one run in a temporary folder, checks it, and moves everything into the folder of the results. The result is there
 * as a whole or not at all. Rejects with `EvaluateError` if the host could not begin or the provider answered nothing.
 */
export async function runTask(options: RunTaskOptions): Promise<RunRecord> {
  const { run, task, results } = options;
  const place = runPlace(run, results);
  await rm(place, { recursive: true, force: true });
  const made = {
    place,
    workspace: join(place, "work"),
    home: join(place, "host"),
    store: join(place, "store", "store.sqlite"),
  };
  try {
    const stores = run.arm.isManaged ? [join(place, "store")] : [];
    for (const folder of [made.workspace, made.home, ...stores])
      await mkdir(folder, { recursive: true });
    const began = new Date().toISOString();
    await using metered = options.meter.openRun({
      access: options.model.access,
      file: join(place, "requests.jsonl"),
      callLimit: task.limits.calls,
    });
    await prepareWorkspace(task, made.workspace);
    const played = await play(options, made, metered);
    // Calls that the host has left in flight are recorded before anything is measured.
    await metered[Symbol.asyncDispose]();
    options.signal.throwIfAborted();
    checkAnswered(run, played, metered.calls);
    const checks = await checkTask(task, {
      workspace: made.workspace,
      answers: played.answers,
      scratch: join(place, "check"),
    });
    // Temporary files of the host, mostly compiled code, are several times as large as the rest.
    for (const name of ["check", join("host", "tmp")])
      await rm(join(place, name), { recursive: true, force: true });
    const faults = [
      ...(run.arm.isManaged ? await verifyStore(made.store) : []),
      ...(options.model.failures ?? []),
    ];
    const record = measureRun({ run, task, began, played, checks, metered, faults });
    if (run.arm.isManaged) await writePages(made.store, place);
    // An agent of a later run that reads this file has the canary in its requests.
    const kept: KeptTask = { canary: canaryOf(task), task };
    await writeFile(join(place, "task.json"), `${JSON.stringify(kept)}\n`);
    const answers = Object.fromEntries(played.answers);
    await writeFile(join(place, "answers.json"), `${JSON.stringify(answers, undefined, 2)}\n`);
    await writeFile(join(place, "run.json"), `${JSON.stringify(record, undefined, 2)}\n`);
    if (record.end !== "budget") await moveWhole(place, runFolder(results, run));
    return record;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** A task as `task.json` has it. */
export interface KeptTask {
  readonly canary: string;
  readonly task: Task;
}

interface Places {
  readonly workspace: string;
  readonly home: string;
  readonly store: string;
}

/** Milliseconds after a change by another program. A host that watches files notices it in this time. */
const settlingMs = 1_000;

/** Sends the prompts of a task. A limit that is reached, or an error, ends the run and is no exception. */
async function play(
  options: RunTaskOptions,
  { workspace, home, store }: Places,
  metered: MeteredRun,
): Promise<PlayedTask> {
  const { run, task, host, signal } = options;
  const answers = new Map<number, string>();
  const notices = new Set<string>();
  const timer = new AbortController();
  const ended = AbortSignal.any([signal, timer.signal, metered.stopSignal]);
  const began = performance.now();
  let waited = 0;
  const spent = (): number => performance.now() - began - metered.waitedMs - waited;
  // Waits for rate limits do not count, so the limit is looked at again and again.
  const watch = setInterval(() => {
    if (spent() > task.limits.minutes * 60_000) timer.abort();
  }, 500);
  const played = (end: RunEnd, error?: string): PlayedTask => ({
    end,
    ...defined({ error }),
    answers,
    milliseconds: spent(),
    notices: [...notices],
  });
  const stopOf = (): PlayedTask | undefined => {
    signal.throwIfAborted();
    if (timer.signal.aborted)
      return played("time-limit", `more than ${task.limits.minutes} minutes`);
    const { stopped } = metered;
    if (stopped === undefined || stopped === "closed") return undefined;
    return played(
      stopped,
      stopped === "call-limit" ? `more than ${task.limits.calls} calls` : stopped,
    );
  };
  let session: HostSession | undefined;
  try {
    session = await host.open({ arm: run.arm, access: metered.access, workspace, home, store });
    for (const [index, step] of task.steps.entries()) {
      if (step.type === "change") {
        await applyChange(step, workspace);
        waited += settlingMs;
        await setTimeout(settlingMs);
      } else if (step.type === "session") await session.newSession();
      else {
        metered.atStep(index);
        const { text, error, notices: shown } = await session.prompt(step.text, { signal: ended });
        for (const notice of shown ?? []) notices.add(notice);
        const stop = stopOf();
        if (stop !== undefined) return stop;
        if (error !== undefined)
          return played(hasFailed(metered) ? "provider-error" : "host-error", error);
        answers.set(index, text);
      }
    }
    return played("finished");
  } catch (error) {
    const stop = stopOf();
    if (stop !== undefined) return stop;
    return played("host-error", messageOf(error));
  } finally {
    clearInterval(watch);
    await session?.[Symbol.asyncDispose]();
  }
}

/** Whether the provider answered the last call with an error, or not as a whole. */
function hasFailed({ calls }: MeteredRun): boolean {
  const last = calls.at(-1);
  return last !== undefined && (last.error !== undefined || last.isIncomplete === true);
}

/** Moves a folder. It has its new name only once it is whole, also on another file system. */
async function moveWhole(from: string, to: string): Promise<void> {
  const made = `${to}.tmp`;
  await rm(made, { recursive: true, force: true });
  await cp(from, made, { recursive: true, verbatimSymlinks: true });
  await rm(to, { recursive: true, force: true });
  await rename(made, to);
}
