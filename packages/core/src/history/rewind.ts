import { defined, describeAll } from "@self-context-manager/objects";
import { type ChatState, type Compaction, upTo } from "../chat/chat-body.ts";
import {
  afterEnd,
  isAfter,
  objectsOf,
  positionBefore,
  toolcallsOf,
  type Turn,
} from "../chat/turn.ts";
import { keyName, type KnownMessage, replacingNames } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import { continuedView } from "../state/open-state.ts";
import { readSessionSets } from "../state/session-body.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { replaceChat, type SessionState } from "../state/session-state.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { sentView } from "../view/view-object.ts";
import { type BranchPoint, countSpoken, namesIn } from "./branch-point.ts";
import type { KnownList, RewindTarget } from "./rewind-target.ts";

/**
 * Rewinds a session to a point of its stored versions. The chat is cut there, and the sets come from the stored versions of
 * that time, so that the user finds the session unchanged (decision D52). The abandoned branch stays in the store. Nothing
 * is stored here: the next commit makes a new version. A host compaction is removed with its summary, unless the host still
 * sends the summary. An archive ends if the point is before it.
 */
export async function moveTo(
  scope: SessionScope,
  { point, turns, messages, before }: RewindTarget,
): Promise<void> {
  const { state, dependencies } = scope;
  if (point === undefined || lacksCalls(scope, point, turns)) {
    forgetObjectsOf(scope, turns);
  } else {
    const ids = rowsOf(point).map(({ id }) => id);
    readSessionSets(state, point.session.body, await describeAll(dependencies.store, ids));
    state.executions.restore([]);
  }
  // Summaries belong to what was said, so they stay right, and what they have cost does too.
  state.unfolded.cut(turns.length);
  await returnToView(scope, point);
  scope.contents.clear();
  scope.inView.clear();
  scope.followed.clear();
  const kept = new Set(turns.flatMap(toolcallsOf));
  const { compaction, archive: _, ...chat } = state.chat.state;
  const still = [compaction, point?.chat.compaction].find(
    (one) => one !== undefined && isSummarized(one, turns, messages),
  );
  const refs = [...chat.toolcallRefs, ...(point?.chat.toolcallRefs ?? [])];
  const toolcallRefs = [...new Map(refs.map((one) => [one.id, one])).values()];
  const cut: ChatState = {
    ...chat,
    turns,
    toolcallRefs: toolcallRefs.filter(({ id }) => kept.has(id)),
  };
  // The stored version of the point knows whether the chat was archived there. It can have more turns than are kept.
  const archive = point?.chat.archive;
  const isBehind = archive !== undefined && !isAfter(archive.from, afterEnd(turns));
  replaceChat(state, {
    ...cut,
    ...defined({ compaction: still, archive: isBehind ? archive : undefined }),
  });
  keepWhatIsSent(state, messages, before);
  keepOrder(state, before);
}

/** Keeps the order of a host's list. Messages without ids and times are recognised by their order. */
function keepOrder(state: SessionState, before: KnownList): void {
  const placed = new Map([...state.chat.known.values()].map((one) => [placedName(one), one]));
  const sequence: KnownMessage[] = [];
  for (const one of before) {
    const now = one === undefined ? undefined : placed.get(placedName(one));
    if (now === undefined) break;
    sequence.push(now);
  }
  if (sequence.length > 0) state.chat.setSequence(sequence);
}

function placedName({ identity, position }: KnownMessage): string {
  return `${position?.turn} ${position?.step} ${keyName(identity)}`;
}

/**
 * Limits a summary to the messages that the host no longer sends after it, and to those of the chat: the next one follows
 * it. When the summary arrived, more of them could have been unknown.
 */
function keepWhatIsSent(
  state: SessionState,
  messages: readonly ReadMessage[],
  before: KnownList,
): void {
  const { compaction } = state.chat;
  if (compaction === undefined) return;
  const next = lastReplacing(compaction, messages) + 1;
  const from = (before[next] ?? state.chat.known.get(messages[next]?.key ?? ""))?.position;
  if (!isAfter(compaction.from, from ?? afterEnd(state.chat.turns))) return;
  state.chat.summarise(compaction.messages, from);
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
    stored === undefined ? undefined : { ...sentView(stored, true), ...defined({ cache }) };
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
  messages: readonly ReadMessage[],
): boolean {
  if (lastReplacing(compaction, messages) !== -1) return true;
  const heard = new Set(messages.map(({ key }) => key));
  const replaced = upTo(turns, positionBefore(compaction.from));
  const isReached = countSpoken(turns) > countSpoken(replaced);
  return isReached && !namesIn(replaced).some((name) => heard.has(name));
}

/** Returns the index of the last message of a list that replaces the beginning of the chat; -1 if it has none. */
function lastReplacing(compaction: Compaction, messages: readonly ReadMessage[]): number {
  const names = new Set(replacingNames(compaction));
  return messages.findLastIndex(({ key }) => names.has(key));
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
