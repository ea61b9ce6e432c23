import { describeAll } from "@self-context-manager/objects";
import { type ChatState, type Compaction, upTo } from "../chat/chat-document.ts";
import {
  isAfter,
  objectsOf,
  positionBefore,
  toolcallsOf,
  type Turn,
  type TurnPosition,
} from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import {
  chatRoles,
  compactionIdentity,
  keyName,
  type KnownMessage,
} from "../host/message-identity.ts";
import { continuedView } from "../state/open-state.ts";
import { readSessionSets } from "../state/session-document.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { replaceChat, type SessionState } from "../state/session-state.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { sentView } from "../view/view-object.ts";
import {
  type BranchPoint,
  countSpoken,
  findBranchBehind,
  findBranchFrom,
  findBranchPoint,
  namesIn,
} from "./branch-point.ts";

/**
 * Rewinds a session to a point of the host's list: a position of its chat, or a later one on an abandoned branch. The
 * chat is cut there, and the sets come from the stored versions of that time, so that the user finds the session
 * unchanged (decision D52). The abandoned branch stays in the store. Nothing is stored here: the next commit makes a
 * new version. A host compaction is removed with its summary, unless the host still sends the summary. `before`: the
 * known message that each message of the list was until now. It is empty if each message has an id or a time.
 */
export async function rewindTo(
  scope: SessionScope,
  position: TurnPosition,
  identities: readonly MessageIdentity[],
  before: KnownList,
): Promise<void> {
  if (await returnToAnother(scope, identities, true)) return;
  const shared = upTo(scope.state.chat.turns, position);
  const point = await findBranchPoint(scope, identities, shared);
  const isFurther = isBeyond(point, shared);
  await moveTo(scope, point, isFurther ? point.chat.turns : shared, identities, before);
}

/**
 * Continues at the end of an abandoned branch, if a host's list follows that branch from the session's present
 * position. Returns whether it does.
 */
export async function returnTo(
  scope: SessionScope,
  identities: readonly MessageIdentity[],
): Promise<boolean> {
  const { turns } = scope.state.chat;
  const point = await findBranchPoint(scope, identities, turns);
  if (!isBeyond(point, turns)) return false;
  await moveTo(scope, point, point.chat.turns, identities);
  return true;
}

/**
 * Rewinds to the position right after a summary, if the host reports that the user went back and its list contains the
 * summary and no later message of the chat. Returns whether this is the case.
 */
export async function returnBehindSummary(
  scope: SessionScope,
  identities: readonly MessageIdentity[],
): Promise<boolean> {
  const { chat } = scope.state;
  const { compaction, known } = chat;
  const names = identities.map(keyName);
  if (compaction === undefined || !names.includes(keyName(compactionIdentity(compaction))))
    return false;
  if (names.some((name) => known.get(name)?.position !== undefined)) return false;
  const turns = upTo(chat.turns, positionBefore(compaction.from));
  await moveTo(scope, await findBranchPoint(scope, identities, turns), turns, identities);
  return true;
}

/**
 * Moves the session to an abandoned branch, if a host's list shares no message with the present chat. The list begins
 * like that branch, or continues its end after a summary in front. Returns whether there is such a branch. Unless the
 * host reports that the user went back, only sessions that were rewound before are searched.
 */
export async function returnToAnother(
  scope: SessionScope,
  identities: readonly MessageIdentity[],
  isReported: boolean,
): Promise<boolean> {
  const { chat, sent } = scope.state;
  // A session that was never rewound has no other branch.
  if (!isReported && sent.viewBranch === undefined) return false;
  if (identities.some((one) => chat.known.has(keyName(one)))) return false;
  const [first] = identities;
  const isSummarised = first !== undefined && !chatRoles.has(first.role);
  // The newest prompt is new, so it gives no information about earlier branches.
  const prompt = identities.findLastIndex(({ role }) => role === "user");
  const point =
    (await findBranchFrom(scope, identities)) ??
    (isSummarised
      ? await findBranchBehind(scope, identities.slice(1, Math.max(1, prompt)))
      : undefined);
  if (point === undefined) return false;
  await moveTo(scope, point, point.chat.turns, identities);
  return true;
}

/** The known message for each message of a list; undefined for a new one. */
type KnownList = readonly (KnownMessage | undefined)[];

function isBeyond(point: BranchPoint | undefined, turns: readonly Turn[]): point is BranchPoint {
  return point !== undefined && countSpoken(point.chat.turns) > countSpoken(turns);
}

async function moveTo(
  scope: SessionScope,
  point: BranchPoint | undefined,
  turns: readonly Turn[],
  identities: readonly MessageIdentity[],
  before: KnownList = [],
): Promise<void> {
  const { state, dependencies } = scope;
  if (point === undefined || lacksCalls(scope, point, turns)) {
    forgetObjectsOf(scope, turns);
  } else {
    const ids = rowsOf(point).map(({ id }) => id);
    readSessionSets(state, point.session.body, await describeAll(dependencies.store, ids));
    state.executions.restore([]);
  }
  await returnToView(scope, point);
  scope.contents.clear();
  scope.inView.clear();
  scope.followed.clear();
  const kept = new Set(turns.flatMap(toolcallsOf));
  const { compaction, ...chat } = state.chat.document;
  const still = [compaction, point?.chat.compaction].find(
    (one) => one !== undefined && isSummarized(one, turns, identities),
  );
  const refs = [...chat.toolcallRefs, ...(point?.chat.toolcallRefs ?? [])];
  const toolcallRefs = [...new Map(refs.map((one) => [one.id, one])).values()];
  const cut: ChatState = {
    ...chat,
    turns,
    toolcallRefs: toolcallRefs.filter(({ id }) => kept.has(id)),
  };
  replaceChat(state, still === undefined ? cut : { ...cut, compaction: still });
  keepWhatIsSent(state, identities, before);
}

/**
 * Limits a summary to the messages that the host no longer sends after it. When the summary arrived, more of them could
 * have been unknown.
 */
function keepWhatIsSent(
  state: SessionState,
  identities: readonly MessageIdentity[],
  before: KnownList,
): void {
  const { compaction } = state.chat;
  if (compaction === undefined) return;
  const names = identities.map(keyName);
  const next = names.indexOf(keyName(compactionIdentity(compaction))) + 1;
  const from = (before[next] ?? state.chat.known.get(names[next] ?? ""))?.position;
  if (from === undefined || !isAfter(compaction.from, from)) return;
  state.chat.summarise({ ...compaction, from });
}

/**
 * Sets the view to that of the last call before a point. The view object itself only grows, so each call keeps its
 * number.
 */
async function returnToView(
  { state, dependencies: { store } }: SessionScope,
  point: BranchPoint | undefined,
): Promise<void> {
  const { sent } = state;
  if (sent.viewId === undefined) {
    sent.branch(undefined, { from: 0, latest: 0 });
    return;
  }
  const [latest] = await store.describe([sent.viewId]);
  const stored =
    point === undefined
      ? undefined
      : await continuedView(store, point.session, await store.get(sent.viewId, point.asOf));
  // The provider's cache contains the prompt of the last call, wherever the user went back to.
  const cache = sent.view?.cache;
  const view =
    stored === undefined
      ? undefined
      : { ...sentView(stored, true), ...(cache === undefined ? {} : { cache }) };
  sent.branch(view, { from: stored?.version ?? 0, latest: latest?.version ?? 0 });
}

function rowsOf({ session }: BranchPoint): readonly PoolRow[] {
  return session.body["pool"] as readonly PoolRow[];
}

/**
 * Whether results of the session arrived after the point, as when a host sends a whole history at once. Then the sets
 * of that time do not contain these calls.
 */
function lacksCalls({ state }: SessionScope, point: BranchPoint, turns: readonly Turn[]): boolean {
  const then = new Set(rowsOf(point).map(({ id }) => id));
  return turns.flatMap(toolcallsOf).some((id) => state.pool.has(id) && !then.has(id));
}

/**
 * Whether a summary still replaces the beginning of a chat. It does if the host sends it, or sends none of the messages
 * that it replaced, as when another summary of the host is in front of it.
 */
function isSummarized(
  compaction: Compaction,
  turns: readonly Turn[],
  identities: readonly MessageIdentity[],
): boolean {
  const heard = new Set(identities.map(keyName));
  if (heard.has(keyName(compactionIdentity(compaction)))) return true;
  const replaced = upTo(turns, positionBefore(compaction.from));
  const isReached = countSpoken(turns) > countSpoken(replaced);
  return isReached && !namesIn(replaced).some((name) => heard.has(name));
}

/**
 * Removes tool calls and user objects of abandoned turns from the pool, as the sets of that time would. They can be
 * ingested again.
 */
function forgetObjectsOf({ state }: SessionScope, turns: readonly Turn[]): void {
  const kept = new Set(turns.flatMap(objectsOf));
  const abandoned = state.chat.turns.flatMap(objectsOf).filter((id) => !kept.has(id));
  state.pool.forget(abandoned);
  for (const id of abandoned) state.active.leave(id);
}
