import { StoreError } from "@self-context-manager/objects";
import type { HostClock } from "../host/host-clock.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { ConnectionNotices } from "./connection-notices.ts";
import { type HeldSession, heldSession } from "./held-session.ts";
import { isSessionGone } from "./store-failure.ts";
import { storeTrouble } from "./store-trouble.ts";

/** How a session is opened and closed. */
export interface GuardOptions {
  readonly open: () => Promise<ContextSession>;
  readonly close?: ((session: ContextSession) => Promise<void>) | undefined;
  /** Called before each work on the open session. */
  readonly onUse: () => void;
  readonly clock?: HostClock | undefined;
  readonly notices: ConnectionNotices;
  readonly isOff: boolean;
}

type Work<Result> = (session: ContextSession) => Promise<Result>;

/** Runs the work of a host's hooks on a session that can fail, be lost and be opened again. */
export interface GuardedSession
  extends AsyncDisposable, Pick<HeldSession, "present" | "beginRequest"> {
  /** Whether managed context is on. */
  isOn: boolean;
  /** Whether the store is known not to work. */
  readonly isInTrouble: boolean;
  /** Whether the end of the session was requested. Then no hook does anything. */
  isDisposed: boolean;
  /** The store was lost, and the new one does not have the host's messages, and so not their handles, yet. */
  lacksHistory: boolean;
  /** Returns the open session, and opens it if needed. */
  open(): Promise<ContextSession>;
  /** Runs work on the session, and once more on the session opened again if it was lost or closed. */
  use<Result>(work: Work<Result>): Promise<Result>;
  /** Runs a context tool. Rejects also while the store is known not to work. */
  runTool<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Runs a hook's work. Notifies the user of a failure and returns undefined. While managed context is off, nothing is done.
   * While the store does not work, only the hooks that `ask` find out whether it works again; the others are left out.
   */
  attempt<Result>(work: Work<Result>, when?: "asks" | "waits"): Promise<Result | undefined>;
}

export function guardedSession(options: GuardOptions): GuardedSession {
  const { notices } = options;
  const held = heldSession(options.open, options.close);
  const trouble = storeTrouble(options.clock);
  let lost: ContextSession | undefined;

  async function open(): Promise<ContextSession> {
    const session = await held.open();
    options.onUse();
    return session;
  }

  async function reach(): Promise<void> {
    await (await open()).check();
  }

  /** Drops a session whose store was lost or closed. Other calls can meet the same loss at the same time. */
  function leave(session: ContextSession, error: unknown): void {
    if (StoreError.is(error, "STORE_LOST") && session !== lost) {
      lost = session;
      guard.lacksHistory = true;
      notices.lost(error);
    }
    held.drop(session);
  }

  const guard: GuardedSession = {
    isOn: !options.isOff,
    isDisposed: false,
    lacksHistory: false,
    get isInTrouble() {
      return trouble.isOn;
    },
    get present() {
      return held.present;
    },
    beginRequest: () => held.beginRequest(),
    open,
    async use(work) {
      const session = await open();
      try {
        return await work(session);
      } catch (error) {
        if (!isSessionGone(error) || guard.isDisposed) throw error;
        leave(session, error);
      }
      const again = await open();
      try {
        return await work(again);
      } catch (error) {
        if (isSessionGone(error)) leave(again, error);
        throw error;
      }
    },
    async runTool(work) {
      if (!(await trouble.isOver(reach)))
        throw new Error("the store does not work at the moment; try again later");
      return await guard.use(async (session) => {
        if (guard.lacksHistory)
          throw new Error("the store was lost and a new one is begun; try again");
        return await work(session);
      });
    },
    async attempt(work, when = "asks") {
      if (guard.isDisposed || !guard.isOn || (trouble.isOn && when === "waits")) return undefined;
      if (!(await trouble.isOver(reach))) return undefined;
      try {
        return await guard.use(async (session) => {
          const result = await work(session);
          notices.worked(session);
          return result;
        });
      } catch (error) {
        // Not rethrown: a failure here must not stop the host, which continues with its own messages. An operation that the
        // end of the connection cut short is no failure.
        if (guard.isDisposed) return undefined;
        trouble.failed(error);
        notices.failed(error);
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      guard.isDisposed = true;
      await held[Symbol.asyncDispose]();
    },
  };
  return guard;
}
