import type { ContextSession, HostSession } from "@self-context-manager/core";

import { piAdapter } from "./pi-adapter.ts";

/** A session with the resources that it needs; both are disposed of together. */
export interface OpenedContext extends AsyncDisposable {
  readonly session: ContextSession;
  /** The session's working folder. */
  readonly workspace: string;
  /** Rejects with `StoreError` if the store cannot be written now. Takes almost no time if it can. */
  readonly check?: () => Promise<void>;
  /**
   * Opens the inspector's page of the session and returns its address. It is open until the disposal. Default: a command
   * for the terminal is named instead.
   */
  readonly inspect?: () => Promise<string>;
}

/** Opens the store and a session on it; rejects if that is not possible now. */
export type OpenContext = (where: {
  readonly host: HostSession;
  readonly workspace: string;
  /** The host writes nothing of the session to the disk. */
  readonly isEphemeral?: boolean;
}) => Promise<OpenedContext>;

/** A session of the host, to be opened. */
interface HeldSession {
  readonly sessionId: string;
  readonly workspace: string;
  readonly isEphemeral: boolean;
}

/** Holds the one session that the host has open at a time. */
export interface ContextHolder {
  /** Returns the session with this id and opens it if needed. After a failure the next call tries again. */
  open(where: HeldSession): Promise<OpenedContext>;
  /** Returns the session that is open now, without opening one. */
  present(): OpenedContext | undefined;
  /**
   * Closes a session whose store was lost, so that the next call opens it again. Returns `replaced` if another call has
   * done so, and `closed` if no session is open.
   */
  drop(opened: OpenedContext): "dropped" | "replaced" | "closed";
  /** Closes the open session, if there is one. */
  close(): Promise<void>;
}

export function contextHolder(openContext: OpenContext): ContextHolder {
  let held: { readonly id: string; readonly opening: Promise<OpenedContext> } | undefined;
  /** The context that the last opening returned. */
  let present: OpenedContext | undefined;
  let closing: Promise<void> = Promise.resolve();

  function close(): Promise<void> {
    const leaving = held;
    held = undefined;
    present = undefined;
    if (leaving === undefined) return closing;
    const earlier = closing;
    closing = (async () => {
      await earlier;
      const opened = await leaving.opening.catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    })();
    return closing;
  }

  return {
    async open({ sessionId, ...where }) {
      if (held?.id === sessionId) return await held.opening;
      const earlier = close();
      const opening = (async () => {
        // A session that could not be closed is no reason to open none.
        await earlier.catch(() => undefined);
        return await openContext({ host: { harness: piAdapter.harness, sessionId }, ...where });
      })();
      const mine = { id: sessionId, opening };
      held = mine;
      try {
        const opened = await opening;
        if (held === mine) present = opened;
        return opened;
      } catch (error) {
        if (held === mine) held = undefined;
        throw error;
      }
    },
    present: () => present,
    drop(opened) {
      if (present === opened) {
        close().catch(() => undefined);
        return "dropped";
      }
      return held === undefined ? "closed" : "replaced";
    },
    close,
  };
}
