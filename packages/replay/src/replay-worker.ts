import { parentPort } from "node:worker_threads";

import { readSession } from "./read/read-session.ts";
import type { FileOutcome } from "./run-replay.ts";
import { measureSession, storeSession, type StoredRun } from "./strategies/replay-session.ts";

/** What a thread is asked for: a file's session stored at a path or, where that was done, measured. */
export interface ReplayTask {
  readonly file: string;
  readonly path: string;
  readonly stored?: StoredRun;
}

/** What became of it: `stored` of one that can be measured, else the file's outcome. */
export type ReplayAnswer = { readonly stored: StoredRun } | { readonly outcome: FileOutcome };

/** Does one task; whatever is wrong with its file is part of the answer. */
async function perform({ file, path, stored }: ReplayTask): Promise<ReplayAnswer> {
  try {
    const session = await readSession(file);
    const { damaged } = session;
    if (stored !== undefined) {
      const figures = await measureSession(session, path, stored);
      return { outcome: { file, damaged, figures } };
    }
    const run = await storeSession(session, path);
    return run === undefined ? { outcome: { file, damaged } } : { stored: run };
  } catch (error) {
    // One file that cannot be replayed must not end the others.
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: { file, damaged: [], reason } };
  }
}

parentPort?.on("message", (task: ReplayTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
  void perform(task).then((answer) => parentPort?.postMessage(answer));
});
