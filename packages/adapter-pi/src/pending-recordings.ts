import { type ContextSession, StoreError } from "@self-context-manager/core";

import type { Recording } from "./record-result.ts";
import { isStoreTrouble } from "./store-trouble.ts";

/** The calls that are not yet recorded, in order. A call that failed because of the store is recorded later. */
export interface PendingRecordings {
  add(recording: Recording): void;
  /** Records the pending calls. If the store does not work, it rejects, and the others wait for the next time. */
  record(session: ContextSession): Promise<void>;
}

export function pendingRecordings(): PendingRecordings {
  const pending: Recording[] = [];
  let earlier: Promise<void> = Promise.resolve();

  async function recordAll(session: ContextSession): Promise<void> {
    for (let next = pending[0]; next !== undefined; next = pending[0]) {
      try {
        await next(session);
      } catch (error) {
        if (!isOfStore(error)) pending.shift();
        throw error;
      }
      pending.shift();
    }
  }

  return {
    add: (recording) => void pending.push(recording),
    async record(session) {
      const mine = earlier.then(async () => await recordAll(session));
      // The next one begins when this one has ended, however it ended.
      earlier = mine.catch(() => undefined);
      await mine;
    },
  };
}

/** Whether the recording can succeed later. After any other error it would fail again. */
function isOfStore(error: unknown): boolean {
  return (
    isStoreTrouble(error) ||
    StoreError.is(error, "STORE_LOST") ||
    StoreError.is(error, "STORE_CLOSED")
  );
}
