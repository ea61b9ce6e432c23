import type { ContextSession } from "@self-context-manager/core";

import { isFields, type ToolCallEvent } from "./pi-api.ts";

/** Files that the host's own tools are writing now, so that their changes are not reported as made by others. */
export interface HeldWrites {
  /** Called when a tool is about to run. */
  begin(session: ContextSession, event: ToolCallEvent): Promise<void>;
  /** Called when the tool has run and its write is recorded. */
  end(callId: string): Promise<void>;
  /** Ends all held writes, also those of calls that never ended because they were refused or aborted. */
  endAll(): Promise<void>;
}

/** The host's tools that write the file named by their argument `path`. */
const writers: ReadonlySet<string> = new Set(["write", "edit"]);

export function heldWrites(): HeldWrites {
  const held = new Map<string, AsyncDisposable>();

  async function end(callId: string): Promise<void> {
    const hold = held.get(callId);
    held.delete(callId);
    await hold?.[Symbol.asyncDispose]();
  }

  return {
    async begin(session, { toolName, toolCallId, input }) {
      const path = isFields(input) ? input["path"] : undefined;
      if (!writers.has(toolName) || typeof path !== "string") return;
      held.set(toolCallId, await session.holdWrite(path));
    },
    end,
    async endAll() {
      await Promise.all([...held.keys()].map(end));
    },
  };
}
