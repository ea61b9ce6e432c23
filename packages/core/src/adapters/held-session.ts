import type { ContextSession } from "../session/context-session.ts";

/** Holds the one session of a connection. */
export interface HeldSession extends AsyncDisposable {
  /** Returns the session, and opens it if none is open. Calls at the same time get the same opening. */
  open(): Promise<ContextSession>;
  /**
   * Begins a request: an opening that has failed is tried again. From the first call on, it is tried again only here and not
   * by each `open`.
   */
  beginRequest(): void;
  /** Returns the open session, without opening one. */
  readonly present: ContextSession | undefined;
  /** Disposes of a session that can no longer be used, so that the next call opens it again. */
  drop(session: ContextSession): void;
}

/** `close`: closes a session that `openSession` has returned. Default: disposes of it. */
export function heldSession(
  openSession: () => Promise<ContextSession>,
  close: (session: ContextSession) => Promise<void> = disposeOf,
): HeldSession {
  let closing: Promise<void> = Promise.resolve();
  let opening: Promise<ContextSession> | undefined;
  let present: ContextSession | undefined;
  let hasFailed = false;
  let keepsFailure = false;
  let isClosed = false;

  async function begin(): Promise<ContextSession> {
    try {
      await closing;
      const session = await openSession();
      if (!isClosed) present = session;
      return session;
    } catch (error) {
      hasFailed = true;
      if (!keepsFailure) forgetFailure();
      throw error;
    }
  }

  function forgetFailure(): void {
    if (hasFailed) opening = undefined;
    hasFailed = false;
  }

  return {
    beginRequest() {
      keepsFailure = true;
      forgetFailure();
    },
    get present() {
      return present;
    },
    async open() {
      if (isClosed) throw new Error("the connection is closed; connect the session again");
      opening ??= begin();
      return await opening;
    },
    drop(session) {
      // Another call can have dropped it already and opened the session again.
      if (session !== present) return;
      opening = undefined;
      present = undefined;
      // Its store is closed, so a failure here loses nothing, and is no reason to open no other session.
      closing = close(session).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const last = opening;
      opening = undefined;
      present = undefined;
      await closing;
      // A session that could not be opened needs no end.
      const session = await last?.catch(() => undefined);
      if (session !== undefined) await close(session);
    },
  };
}

async function disposeOf(session: ContextSession): Promise<void> {
  await session[Symbol.asyncDispose]();
}
