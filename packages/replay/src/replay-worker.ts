import { messageOf } from "@self-context-manager/objects";
import { parentPort } from "node:worker_threads";

import { readSession } from "./read/read-session.ts";
import type { ReplayAnswer, ReplayTask } from "./replay-task.ts";
import { measureSession, storeSession } from "./strategies/replay-session.ts";

/** Performs one task; an error of its file becomes part of the answer. */
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
    const reason = messageOf(error);
    return { outcome: { file, damaged: [], reason } };
  }
}

parentPort?.on("message", (task: ReplayTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
  void perform(task).then((answer) => parentPort?.postMessage(answer));
});
