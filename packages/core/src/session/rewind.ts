import { upTo } from "../chat/chat-document.ts";
import { isAssistantStep, type Turn, type TurnPosition } from "../chat/turn.ts";
import { canonicalJson } from "../objects/canonical-json.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { StoredMetadata, StoredVersion } from "../objects/stored-version.ts";
import { describeAll } from "./describe-all.ts";
import type { SessionScope } from "./session-scope.ts";
import { readSessionSets, replaceChat } from "./session-state.ts";

/**
 * Takes a session back to where it was after a message: the chat is cut there, and the sets are those of that time, by
 * the stored versions as of then (design §6.2, decision D52). What was abandoned stays in the store. Nothing is stored
 * here; the next commit makes it a new version. A compaction leaves with its summary, unless the host still sends that.
 */
export async function rewindTo(
  scope: SessionScope,
  position: TurnPosition,
  keepsSummary: boolean,
): Promise<void> {
  const { state, dependencies } = scope;
  const turns = upTo(state.chat.turns, position);
  const session = await sessionAsOf(scope, turns);
  if (session === undefined) {
    forgetToolcallsOf(scope, turns);
  } else {
    const ids = (session.body["pool"] as readonly { readonly id: ObjectId }[]).map(({ id }) => id);
    readSessionSets(state, session.body, await describeAll(dependencies.store, ids));
    state.pendingCalls.clear();
  }
  scope.contents.clear();
  const kept = new Set(turns.flatMap(toolcallsOf));
  const { compaction, ...chat } = state.chat;
  replaceChat(state, {
    ...chat,
    ...(keepsSummary && compaction !== undefined ? { compaction } : {}),
    turns,
    toolcallRefs: state.chat.toolcallRefs.filter(({ id }) => kept.has(id)),
  });
  state.changed = true;
}

/** The session right before the chat went on from these turns; undefined where the chat never stood there. */
async function sessionAsOf(
  scope: SessionScope,
  turns: readonly Turn[],
): Promise<StoredVersion | undefined> {
  const { store } = scope.dependencies;
  const history = await store.history(scope.state.chat.id);
  const wanted = canonicalJson(turns);
  const steps = turns.reduce((count, turn) => count + turn.steps.length, 0);
  const users = turns.filter((turn) => turn.user !== null).length;
  for (const [index, version] of [...history.entries()].toReversed()) {
    const isLike = version.body["step_count"] === steps && version.body["turn_count"] === users;
    if (!isLike || !(await holds(scope, version, wanted))) continue;
    const next = history[index + 1];
    return await store.get(
      scope.state.id,
      next === undefined ? undefined : { txId: next.at.tx_id - 1 },
    );
  }
  return undefined;
}

async function holds(
  scope: SessionScope,
  version: StoredMetadata,
  wanted: string,
): Promise<boolean> {
  const stored = await scope.dependencies.store.get(scope.state.chat.id, {
    version: version.version,
  });
  return stored !== undefined && canonicalJson(stored.body["turns"] ?? []) === wanted;
}

/** What was abandoned leaves the pool, as it does where the sets of that time are known; it can be taken in again. */
function forgetToolcallsOf(scope: SessionScope, turns: readonly Turn[]): void {
  const kept = new Set(turns.flatMap(toolcallsOf));
  const { state } = scope;
  for (const id of state.chat.turns.flatMap(toolcallsOf)) {
    if (kept.has(id)) continue;
    const entry = state.pool.get(id);
    if (entry !== undefined) state.handles.delete(entry.handle);
    state.pool.delete(id);
    state.active.delete(id);
    state.pinned.delete(id);
  }
  state.poolRevision += 1;
}

function toolcallsOf(turn: Turn): readonly ObjectId[] {
  return turn.steps.flatMap((step) => (isAssistantStep(step) ? step.toolcall_ids : []));
}
