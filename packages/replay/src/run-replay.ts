import { mkdtemp, rm, stat } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import type { FileOutcome, ReplayAnswer, ReplayTask } from "./replay-task.ts";

export interface ReplayProgress {
  /** The number of finished sessions; a session that is stored and not yet measured counts as half. */
  readonly done: number;
  readonly total: number;
}

export interface RunOptions {
  /** The number of sessions that are measured at once; default: the number of cores. */
  readonly threads?: number;
  readonly onProgress?: (progress: ReplayProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Replays files and returns the outcomes in the order of the files. First each session runs in full into a separate
 * store, one session at a time, so that nothing else affects the times of its calls. Then all sessions are measured on
 * several threads.
 */
export async function runReplay(
  files: readonly string[],
  { threads: most = availableParallelism(), onProgress, signal }: RunOptions = {},
): Promise<readonly FileOutcome[]> {
  const tasks = await longestFirst(files);
  const outcomes = new Map<string, FileOutcome>();
  let halves = 0;
  const progress = (): void => {
    onProgress?.({ done: halves / 2, total: files.length });
  };
  const folder = await mkdtemp(join(tmpdir(), "scm-replay-"));
  progress();
  const threads: ReplayThread[] = [];
  /** The threads without a task. They are used again, because the start of a thread takes longer than a short session. */
  const free: ReplayThread[] = [];
  function start(): ReplayThread {
    const thread = replayThread();
    threads.push(thread);
    return thread;
  }
  /** Performs all tasks on threads, and returns the tasks that continue. */
  async function work(todo: ReplayTask[], count: number): Promise<ReplayTask[]> {
    const further: ReplayTask[] = [];
    const one = async (): Promise<void> => {
      const thread = free.pop() ?? start();
      for (let task = todo.shift(); task !== undefined; task = todo.shift()) {
        signal?.throwIfAborted();
        const answer = await thread.perform(task);
        if ("stored" in answer) further.push({ ...task, stored: answer.stored });
        else outcomes.set(task.file, answer.outcome);
        halves += "outcome" in answer && task.stored === undefined ? 2 : 1;
        progress();
      }
      free.push(thread);
    };
    await Promise.all(Array.from({ length: Math.min(Math.max(1, count), todo.length) }, one));
    return further;
  }
  try {
    const named = tasks.map((file, index) => ({ file, path: join(folder, `${index}.sqlite`) }));
    await work(await work(named, 1), most);
  } finally {
    await Promise.all(threads.map(async (thread) => await thread[Symbol.asyncDispose]()));
    await rm(folder, { recursive: true, force: true });
  }
  return files.flatMap((file) => outcomes.get(file) ?? []);
}

interface ReplayThread extends AsyncDisposable {
  perform(task: ReplayTask): Promise<ReplayAnswer>;
}

function replayThread(): ReplayThread {
  const worker = new Worker(workerUrl(), isSource ? { execArgv: [...sourceFlags] } : {});
  return {
    perform: async (task) =>
      await new Promise((resolve, reject) => {
        const settle = (): void => {
          worker.off("message", onMessage);
          worker.off("error", onError);
        };
        const onMessage = (answer: ReplayAnswer): void => {
          settle();
          resolve(answer);
        };
        const onError = (error: unknown): void => {
          settle();
          reject(error instanceof Error ? error : new Error(String(error)));
        };
        worker.once("message", onMessage);
        worker.once("error", onError);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
        worker.postMessage(task);
      }),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

const isSource = import.meta.url.endsWith(".ts");
const sourceFlags = ["--conditions=@self-context-manager/source"];

/** The worker is next to this file, in the sources and in the build. */
function workerUrl(): URL {
  return new URL(isSource ? "./replay-worker.ts" : "./replay-worker.js", import.meta.url);
}

/** The longest files first: a long file that begins last would keep one thread busy after the others. */
async function longestFirst(files: readonly string[]): Promise<string[]> {
  const sizes = await Promise.all(
    files.map(async (file) => {
      try {
        return (await stat(file)).size;
      } catch {
        // The replay of the file reports the error.
        return 0;
      }
    }),
  );
  return files
    .map((file, index) => ({ file, size: sizes[index] ?? 0 }))
    .toSorted((a, b) => b.size - a.size)
    .map(({ file }) => file);
}
