import type { ObjectId } from "@self-context-manager/objects";
import type { ChatState } from "../chat/chat-body.ts";
import type { HostSession } from "../host/host-session.ts";
import { type ActiveSets, activeSets } from "./active-sets.ts";
import { type ChatIndex, chatIndex } from "./chat-index.ts";
import { type ObjectPool, objectPool } from "./object-pool.ts";
import { type SentCalls, sentCalls } from "./sent-calls.ts";
import { type ShownTexts, shownTexts } from "./shown-texts.ts";
import { type ToolExecutions, toolExecutions } from "./tool-executions.ts";
import { type TurnSummaries, turnSummaries } from "./turn-summaries.ts";
import { type UnfoldedTurns, unfoldedTurns } from "./unfolded-turns.ts";
import { type UseOrder, useOrder } from "./use-order.ts";

/**
 * The complete state of a running session. The session and chat objects are its stored form. Each part has one file that
 * changes it, and knows itself whether the stored session lacks a change.
 */
export interface SessionState {
  readonly id: ObjectId;
  readonly harness: string;
  readonly hostSessionId: string;
  readonly chat: ChatIndex;
  readonly pool: ObjectPool;
  readonly active: ActiveSets;
  readonly uses: UseOrder;
  readonly shown: ShownTexts;
  readonly sent: SentCalls;
  readonly executions: ToolExecutions;
  readonly summaries: TurnSummaries;
  readonly unfolded: UnfoldedTurns;
  /** The latest version of the session object; 0 before the first commit. */
  readonly version: number;
  /** The newest transaction that the session has seen. */
  readonly lastTransaction: number;
  /** Whether the stored session object is out of date. */
  readonly isChanged: boolean;
  noteTransaction(txId: number): void;
  /** Notes that the session is stored as it is now. */
  noteStored(version: number): void;
}

/** Returns the state of a new session. `executions` outlive a state that is read from the store again. */
export function newSessionState(
  ids: { readonly session: ObjectId; readonly chat: ObjectId },
  { harness, sessionId }: HostSession,
  executions: ToolExecutions = toolExecutions(),
): SessionState {
  const chat = chatIndex({ ...ids, hostSession: sessionId });
  const parts = {
    pool: objectPool(),
    active: activeSets(),
    uses: useOrder(),
    shown: shownTexts(),
    sent: sentCalls(),
    executions,
    summaries: turnSummaries(),
    unfolded: unfoldedTurns(),
  };
  const stored = Object.values(parts);
  let version = 0;
  let lastTransaction = 0;
  return {
    id: ids.session,
    harness,
    hostSessionId: sessionId,
    chat,
    ...parts,
    get version() {
      return version;
    },
    get lastTransaction() {
      return lastTransaction;
    },
    get isChanged() {
      return version === 0 || stored.some((part) => part.isChanged);
    },
    noteTransaction(txId) {
      lastTransaction = Math.max(lastTransaction, txId);
    },
    noteStored(next) {
      version = next;
      for (const part of stored) part.noteStored();
    },
  };
}

/** Replaces the chat and computes everything again that depends on it. */
export function replaceChat(state: SessionState, chat: ChatState): void {
  state.chat.replace(chat, state.pool.entries);
  state.uses.forgetPaths();
}
