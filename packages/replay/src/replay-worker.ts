import { parentPort } from "node:worker_threads";

import { readSession } from "./read/read-session.ts";
import { replaySession } from "./strategies/replay-session.ts";
import type { FileOutcome } from "./run-replay.ts";

/** Replays one file; whatever is wrong with it is part of the answer. */
async function replayFile(file: string): Promise<FileOutcome> {
  try {
    const session = await readSession(file);
    const figures = await replaySession(session);
    return {
      file,
      damaged: session.damaged,
      ...(figures === undefined ? {} : { figures }),
    };
  } catch (error) {
    // One file that cannot be replayed must not end the others.
    return { file, damaged: [], reason: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on("message", (file: string) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
  void replayFile(file).then((outcome) => parentPort?.postMessage(outcome));
});
