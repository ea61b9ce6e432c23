import { type ContextSession, type HostSession, StoreError } from "@self-context-manager/core";

import { sessionHandle } from "./session-handle.ts";

/** The sessions that one manager has open. Disposal closes all of them. */
export interface SharedSessions extends AsyncDisposable {
  /** Returns a handle of the session with this id, and opens the session if it is not open. */
  open(host: HostSession): Promise<ContextSession>;
}

/** A session with the resources that close with it. */
export interface OpenedSession {
  readonly session: ContextSession;
  readonly close: () => Promise<void>;
}

interface SharedSession {
  readonly opening: Promise<OpenedSession>;
  /** The handles that are not disposed of, with those that are still promised. */
  handles: number;
  /** Set when the last handle is disposed of. */
  closing?: Promise<void>;
}

/** Returns sessions that the given function opens, each at most once at a time. */
export function sharedSessions(
  openSession: (host: HostSession) => Promise<OpenedSession>,
): SharedSessions {
  const shared = new Map<string, SharedSession>();
  let closing: Promise<void> | undefined;

  async function openAfter(
    earlier: Promise<void> | undefined,
    host: HostSession,
  ): Promise<OpenedSession> {
    // A session that could not be closed is no reason not to open it.
    await earlier?.catch(() => undefined);
    return await openSession(host);
  }

  function forget(name: string, one: SharedSession): void {
    if (shared.get(name) === one) shared.delete(name);
  }

  async function close(name: string, one: SharedSession): Promise<void> {
    try {
      await (await one.opening).close();
    } finally {
      forget(name, one);
    }
  }

  return {
    async open(host) {
      if (closing !== undefined)
        throw new StoreError(
          "STORE_CLOSED",
          "the context manager is closed; open one with openContextManager",
        );
      const name = JSON.stringify([host.harness, host.sessionId]);
      let one = shared.get(name);
      if (one === undefined || one.closing !== undefined) {
        one = { opening: openAfter(one?.closing, host), handles: 0 };
        shared.set(name, one);
      }
      const mine = one;
      mine.handles += 1;
      try {
        const { session } = await mine.opening;
        return sessionHandle(session, async () => {
          mine.handles -= 1;
          if (mine.handles === 0) mine.closing ??= close(name, mine);
          await mine.closing;
        });
      } catch (error) {
        forget(name, mine);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      closing ??= (async () => {
        const all = [...shared].map(async ([name, one]) => {
          // An opening that fails is reported to its caller, and has nothing to close.
          const isOpen = await one.opening.then(
            () => true,
            () => false,
          );
          if (isOpen) await (one.closing ??= close(name, one));
        });
        await Promise.all(all);
      })();
      await closing;
    },
  };
}
