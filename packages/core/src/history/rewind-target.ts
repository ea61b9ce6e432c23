import { upTo } from "../chat/chat-body.ts";
import { positionBefore, type Turn } from "../chat/turn.ts";
import { type KnownMessage, replacingNames } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import { type BranchPoint, countSpoken, findBranchPoint, findOtherBranch } from "./branch-point.ts";
import type { Reconciliation } from "./reconcile.ts";
import type { RecognisedList } from "./recognise-list.ts";

/** The known message for each message of a list; undefined for a new one. */
export type KnownList = readonly (KnownMessage | undefined)[];

/** A point to which a session is moved. */
export interface RewindTarget {
  /** The stored version with the sets of that time; undefined if there is none. */
  readonly point: BranchPoint | undefined;
  /** The turns of the chat there. */
  readonly turns: readonly Turn[];
  /** The messages of the host's list that can be known. */
  readonly messages: readonly ReadMessage[];
  /** What each message of the list was until now. It is empty if each message has an id or a time. */
  readonly before: KnownList;
}

/**
 * Finds the point that a host's list continues, if it is not the present end of the chat; undefined if the session stays
 * there. It is one of:
 *
 * - a position of the chat, or a later one on an abandoned branch, for a list with another continuation;
 * - an abandoned branch, for a list that shares no message with the chat. The list begins like that branch, or continues its
 *   end after a summary in front. Unless the host reports that the user went back, only sessions that were rewound before are
 *   searched;
 * - the position right after a summary, if the host reports that the user went back and its list contains the summary and no
 *   later message of the chat;
 * - the end of an abandoned branch that continues from the end of the chat, if the host reports that the user went back.
 */
export async function rewindTarget(
  scope: SessionScope,
  list: RecognisedList,
  { isReported, relation }: { readonly isReported: boolean; readonly relation: Reconciliation },
): Promise<RewindTarget | undefined> {
  const { state } = scope;
  const { type } = relation;
  const isRewound = type === "rewound";
  const messages = isRewound ? list.messages.slice(0, list.newFrom) : list.messages;
  const turns = keptTurns(state, messages, relation);
  const isElsewhere =
    type !== "appended" && canBeElsewhere(state, messages, isReported || isRewound);
  const other = isElsewhere ? await findOtherBranch(scope, messages) : undefined;
  if (other !== undefined) return { point: other, turns: other.chat.turns, messages, before: [] };
  if (turns === undefined || !(isRewound || isReported)) return undefined;
  const point = await findBranchPoint(scope, messages, turns);
  const further =
    point !== undefined && countSpoken(point.chat.turns) > countSpoken(turns)
      ? point.chat.turns
      : undefined;
  if (type === "appended" && further === undefined) return undefined;
  const isByPlace = isRewound && !list.messages.every(({ isNamed }) => isNamed);
  return {
    point,
    turns: (type === "replaced" ? undefined : further) ?? turns,
    messages,
    before: isByPlace ? list.keys().map((key) => state.chat.known.get(key)) : [],
  };
}

/** Returns the turns of the chat that a list continues; undefined if it continues none of them. */
function keptTurns(
  { chat: { turns, compaction, known } }: SessionState,
  messages: readonly ReadMessage[],
  relation: Reconciliation,
): readonly Turn[] | undefined {
  if (relation.type === "appended") return turns;
  if (relation.type === "rewound") return upTo(turns, relation.to);
  if (compaction === undefined) return undefined;
  const summaries = new Set(replacingNames(compaction));
  if (!messages.some(({ key }) => summaries.has(key))) return undefined;
  if (messages.some(({ key }) => known.get(key)?.position !== undefined)) return undefined;
  return upTo(turns, positionBefore(compaction.from));
}

/** Whether a list can continue another branch than the present one. */
function canBeElsewhere(
  { chat, sent }: SessionState,
  messages: readonly ReadMessage[],
  isReported: boolean,
): boolean {
  // A session that was never rewound has no other branch.
  if (!isReported && sent.viewBranch === undefined) return false;
  return !messages.some(({ key }) => chat.known.has(key));
}
