import type { ContextSession, HostSession } from "@self-context-manager/core";

import { piAdapter } from "./pi-adapter.ts";

/** A session with the resources that it needs; both are disposed of together. */
export interface OpenedContext extends AsyncDisposable {
  readonly session: ContextSession;
  /** The session's working folder. */
  readonly workspace: string;
}

/** Opens the store and a session on it; rejects if that is not possible now. */
export type OpenContext = (where: {
  readonly host: HostSession;
  readonly workspace: string;
}) => Promise<OpenedContext>;

/** Holds the one session that the host has open at a time. */
export interface ContextHolder {
  /** Returns the session with this id and opens it if needed. After a failure the next call tries again. */
  open(sessionId: string, workspace: string): Promise<OpenedContext>;
  /** Closes the open session, if there is one. */
  close(): Promise<void>;
}

export function contextHolder(openContext: OpenContext): ContextHolder {
  let held: { readonly id: string; readonly opened: Promise<OpenedContext> } | undefined;

  async function close(): Promise<void> {
    const closing = held;
    held = undefined;
    const opened = await closing?.opened.catch(() => undefined);
    await opened?.[Symbol.asyncDispose]();
  }

  return {
    async open(sessionId, workspace) {
      if (held?.id === sessionId) return await held.opened;
      const earlier = close();
      const opening = (async () => {
        await earlier;
        return await openContext({ host: { harness: piAdapter.harness, sessionId }, workspace });
      })();
      const mine = { id: sessionId, opened: opening };
      held = mine;
      try {
        return await opening;
      } catch (error) {
        if (held === mine) held = undefined;
        throw error;
      }
    },
    close,
  };
}
