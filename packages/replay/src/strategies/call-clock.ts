import type { Rehearsal } from "@self-context-manager/core/rehearsal";
import type { Clock } from "@self-context-manager/objects";

/** A clock with the recorded time of the model call that is rehearsed now. */
export interface CallClock extends Clock {
  /** Returns a rehearsal whose views let the clock go on to the time of their call. */
  following(rehearsal: Rehearsal): Rehearsal;
}

/** A clock of the recorded times of model calls. A call without one has the time of the call before it. */
export function callClock(times: readonly (number | undefined)[]): CallClock {
  let now = 0;
  let call = -1;
  return {
    now: () => now,
    following: (rehearsal) => ({
      ...rehearsal,
      async view(options) {
        call += 1;
        now = Math.max(now, times[call] ?? now);
        return await rehearsal.view(options);
      },
    }),
  };
}
