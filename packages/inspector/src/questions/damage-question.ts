import { setImmediate } from "node:timers/promises";

import type { ObjectId } from "@self-context-manager/objects";

import type { DamageAnswer } from "../answers.ts";
import type { Reading } from "./reading.ts";

/** The number of calls after which other questions are answered. */
const atOnce = 10;

/**
 * Rebuilds all calls of a session and compares them with what was sent. Ends with the reason of the signal when nobody
 * waits for the answer.
 */
export async function damageAnswer(
  reading: Reading,
  session: ObjectId,
  signal?: AbortSignal,
): Promise<DamageAnswer> {
  const damaged: DamageAnswer["damaged"][number][] = [];
  let calls = 0;
  for await (const view of (await reading.history(session)).verify()) {
    calls += 1;
    if (!view.isVerified)
      damaged.push({ call: view.call, problems: view.problems.map(({ text }) => text) });
    // A store in this process answers without a pause, in which the server could notice that the client has gone.
    if (calls % atOnce === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  return { calls, damaged };
}
