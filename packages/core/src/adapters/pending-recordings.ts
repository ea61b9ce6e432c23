import type { ContextSession } from "../session/context-session.ts";

/** The recording of one call of the host's own tools. It can be repeated. */
type Recording = (session: ContextSession) => Promise<void>;

/** The calls that are not yet recorded, in order. A call that failed because of the store is recorded later. */
export interface PendingRecordings {
  add(recording: Recording): void;
  /** Records the pending calls. If the store does not work, it rejects, and the others wait for the next time. */
  record(session: ContextSession): Promise<void>;
}

/** `canSucceed` decides after an error whether the same recording can succeed later. */
export function pendingRecordings(canSucceed: (error: unknown) => boolean): PendingRecordings {
  const pending: Recording[] = [];
  let earlier: Promise<void> = Promise.resolve();

  async function recordAll(session: ContextSession): Promise<void> {
    for (let next = pending[0]; next !== undefined; next = pending[0]) {
      try {
        await next(session);
      } catch (error) {
        if (!canSucceed(error)) pending.shift();
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
