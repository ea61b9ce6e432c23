import type { ContextSession } from "../session/context-session.ts";
import type { ConnectionNotices } from "./connection-notices.ts";
import type { GuardedSession } from "./guarded-session.ts";
import { heldWrites } from "./held-writes.ts";
import type { HostToolCall, HostToolResult } from "./host-tool-call.ts";
import { pendingRecordings } from "./pending-recordings.ts";
import { recordCall } from "./record-call.ts";
import { isStoreFailure } from "./store-failure.ts";

/** Checks and records the calls of a host's own tools. */
export interface HostToolRecords {
  /** Returns the reason why a call must not run. Until `end`, a file that the call writes is held. Never rejects. */
  begin(call: HostToolCall): Promise<string | undefined>;
  /** Records what a call has done, and releases what it held. Never rejects. */
  end(call: HostToolCall, result: HostToolResult): Promise<void>;
  /** Releases the holds of calls. Default: all. Never rejects. */
  endAll(callIds?: readonly string[]): Promise<void>;
  /** Records the calls that could not be recorded when they ended. */
  record(session: ContextSession): Promise<void>;
}

/** `isRecorded`: whether the effects of a tool on files are recorded, by its name. */
export function hostToolRecords(
  guard: GuardedSession,
  notices: ConnectionNotices,
  isRecorded: (toolName: string) => boolean,
): HostToolRecords {
  const pending = pendingRecordings(isStoreFailure);
  const writes = heldWrites();

  /** Releases holds. A change that cannot be stored now is stored with the next change of its file. */
  async function release(callIds?: readonly string[]): Promise<void> {
    const ended =
      callIds === undefined ? [writes.endAll()] : callIds.map(async (id) => await writes.end(id));
    for (const one of await Promise.allSettled(ended))
      if (one.status === "rejected" && !guard.isDisposed) notices.failed(one.reason);
  }

  /** Whether a tool would wait for a store that does not work, or for an opening that has failed. */
  const isAway = (): boolean =>
    guard.isInTrouble || (notices.isFailing && guard.present === undefined);

  return {
    async begin(call) {
      if (isAway()) return guard.isOn ? await checked(guard.present, call) : undefined;
      return await guard.attempt(async (session) => {
        const reason = await session.checkArguments(call.name, call.args);
        if (reason === undefined && isRecorded(call.name)) await writes.begin(session, call);
        return reason;
      });
    },
    async end(call, result) {
      if (guard.isOn && isRecorded(call.name))
        pending.add(async (session) => await recordCall(session, call, result));
      // The next model call finds out whether the session works again, and then records this call.
      if (!isAway())
        await guard.attempt(async (session) => {
          if (!guard.lacksHistory) await pending.record(session);
        }, "waits");
      const released = release([call.id]);
      if (!guard.isInTrouble) await released;
    },
    endAll: release,
    record: async (session) => await pending.record(session),
  };
}

/**
 * Checks a call while the session does not work. An earlier request can have shown stand-ins. This opens nothing, so a tool
 * does not wait for a store that does not answer.
 */
async function checked(
  session: ContextSession | undefined,
  { name, args }: HostToolCall,
): Promise<string | undefined> {
  try {
    return await session?.checkArguments(name, args);
  } catch {
    // The user has been notified of the failure. The call runs, as it does without the context manager.
    return undefined;
  }
}
