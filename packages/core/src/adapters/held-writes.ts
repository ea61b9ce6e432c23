import type { ContextSession } from "../session/context-session.ts";
import type { HostToolCall } from "./host-tool-call.ts";

/** Files that the host's own tools are writing now, so that their changes are not reported as made by others. */
export interface HeldWrites {
  /** Called when a tool is about to run. Only a call that writes files by the session's tool facts holds any. */
  begin(session: ContextSession, call: HostToolCall): Promise<void>;
  /** Called when the tool has run and its write is recorded. */
  end(callId: string): Promise<void>;
  /** Ends all held writes, also those of calls that never ended because they were refused or aborted. */
  endAll(): Promise<void>;
}

/** Returns the holds of one session; there is none at first. */
export function heldWrites(): HeldWrites {
  const held = new Map<string, AsyncDisposable[]>();

  async function end(callId: string): Promise<void> {
    const holds = held.get(callId) ?? [];
    held.delete(callId);
    await Promise.all(holds.map(async (hold) => await hold[Symbol.asyncDispose]()));
  }

  return {
    async begin(session, { id, name, args }) {
      const { kind, paths, commandLine } = session.toolFacts(name, args);
      // A command writes whenever it runs, and its tool does not say when it has written a file.
      if (commandLine !== undefined || (kind !== "write" && kind !== "edit")) return;
      for (const path of paths) {
        const holds = held.get(id) ?? [];
        held.set(id, holds);
        const hold = await session.holdWrite(path);
        // The call can have ended meanwhile. Then nobody would release the file.
        if (held.get(id) === holds) holds.push(hold);
        else await hold[Symbol.asyncDispose]();
      }
    },
    end,
    async endAll() {
      await Promise.all([...held.keys()].map(end));
    },
  };
}
