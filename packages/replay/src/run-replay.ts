import { availableParallelism } from "node:os";
import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import type { SessionFigures } from "./measure/session-figures.ts";
import type { DamagedLine } from "./read/recorded-session.ts";

/** What became of one file. */
export interface FileOutcome {
  readonly file: string;
  readonly damaged: readonly DamagedLine[];
  /** Undefined where the file has no session of two calls. */
  readonly figures?: SessionFigures;
  /** Why it could not be replayed. */
  readonly reason?: string;
}

export interface ReplayProgress {
  readonly done: number;
  readonly total: number;
}

export interface RunOptions {
  /** How many sessions at once; as many as the machine has cores unless told. */
  readonly threads?: number;
  readonly onProgress?: (progress: ReplayProgress) => void;
  readonly signal?: AbortSignal;
}

/** Replays files on several threads, the longest first, and answers in the order in which they were given. */
export async function runReplay(
  files: readonly string[],
  { threads = availableParallelism(), onProgress, signal }: RunOptions = {},
): Promise<readonly FileOutcome[]> {
  const queue = await longestFirst(files);
  const outcomes = new Map<string, FileOutcome>();
  const count = Math.min(Math.max(1, threads), queue.length);
  onProgress?.({ done: 0, total: files.length });
  const work = async (): Promise<void> => {
    await using thread = replayThread();
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      signal?.throwIfAborted();
      outcomes.set(file, await thread.replay(file));
      onProgress?.({ done: outcomes.size, total: files.length });
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  return files.flatMap((file) => outcomes.get(file) ?? []);
}

interface ReplayThread extends AsyncDisposable {
  replay(file: string): Promise<FileOutcome>;
}

function replayThread(): ReplayThread {
  const worker = new Worker(workerUrl(), isSource ? { execArgv: [...sourceFlags] } : {});
  return {
    replay: async (file) =>
      await new Promise((resolve, reject) => {
        const settle = (): void => {
          worker.off("message", onMessage);
          worker.off("error", onError);
        };
        const onMessage = (outcome: FileOutcome): void => {
          settle();
          resolve(outcome);
        };
        const onError = (error: unknown): void => {
          settle();
          reject(error instanceof Error ? error : new Error(String(error)));
        };
        worker.once("message", onMessage);
        worker.once("error", onError);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
        worker.postMessage(file);
      }),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

const isSource = import.meta.url.endsWith(".ts");
const sourceFlags = ["--conditions=@self-context-manager/source"];

/** The worker stands next to this file, in the sources as in what is built. */
function workerUrl(): URL {
  return new URL(isSource ? "./replay-worker.ts" : "./replay-worker.js", import.meta.url);
}

/** A long session that begins last would keep one thread waiting for the other. */
async function longestFirst(files: readonly string[]): Promise<string[]> {
  const sizes = await Promise.all(
    files.map(async (file) => {
      try {
        return (await stat(file)).size;
      } catch {
        // The replay of the file says what is wrong with it.
        return 0;
      }
    }),
  );
  return files
    .map((file, index) => ({ file, size: sizes[index] ?? 0 }))
    .toSorted((a, b) => b.size - a.size)
    .map(({ file }) => file);
}
