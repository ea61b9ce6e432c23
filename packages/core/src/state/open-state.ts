import {
  type CommittedVersion,
  defined,
  describeAll,
  type DynamicReference,
  type ObjectId,
  type ObjectStore,
  sealObject,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { chatBody } from "../chat/chat-body.ts";
import type { HostSession } from "../host/host-session.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { sentView } from "../view/view-object.ts";
import { restoreSessionState, sessionBody } from "./session-body.ts";
import type { SessionDependencies } from "./session-scope.ts";
import type { ViewBranch } from "./sent-calls.ts";
import { newSessionState, type SessionState } from "./session-state.ts";
import type { ToolExecutions } from "./tool-executions.ts";
import type { SummaryRows } from "./turn-summaries.ts";

/**
 * Returns the state of a host's session: the stored one, or a new one, which `beginSession` stores. `executions`: what the
 * process recorded of tools that ran. Default: nothing.
 */
export async function openState(
  dependencies: SessionDependencies,
  host: HostSession,
  executions?: ToolExecutions,
): Promise<SessionState> {
  const found = await findSession(dependencies, host);
  if (found !== undefined) return await loadState(dependencies, found, executions);
  const { ids } = dependencies;
  return newSessionState({ session: ids.next(), chat: ids.next() }, host, executions);
}

async function findSession(
  { store }: SessionDependencies,
  { harness, sessionId }: HostSession,
): Promise<StoredMetadata | undefined> {
  const where = { type: "session", harness, session_id: sessionId };
  return (await store.find({ where, limit: 1 })).items[0];
}

async function loadState(
  { store }: SessionDependencies,
  found: StoredMetadata,
  executions: ToolExecutions | undefined,
): Promise<SessionState> {
  const session = await store.get(found.body.id);
  const chat =
    session === undefined
      ? undefined
      : await store.get((session.body["chat_ref"] as DynamicReference).id);
  if (session === undefined || chat === undefined) {
    throw new TypeError(`session ${found.body.id} has no chat in the store`);
  }
  const viewRef = session.body["view_ref"] as DynamicReference | undefined;
  const latest = viewRef === undefined ? undefined : await store.get(viewRef.id);
  const view = await continuedView(store, session, latest);
  const isBranch = view !== latest;
  const metadata = await describeAll(store, knownIds(session));
  const state = restoreSessionState(session, chat, metadata, defined({ view, executions }));
  // The cache contains the prompt of the last call, although the next view continues an earlier one.
  const cache = latest === undefined ? undefined : sentView(latest, true).cache;
  if (isBranch && state.sent.view !== undefined && cache !== undefined)
    state.sent.setView({ ...state.sent.view, cache });
  return state;
}

/**
 * Returns the view that the next call of a stored session continues: the newest of that time (`latest`), or after a
 * rewind an earlier one.
 */
export async function continuedView(
  store: ObjectStore,
  session: StoredVersion,
  latest: StoredVersion | undefined,
): Promise<StoredVersion | undefined> {
  const branch = session.body["view_branch"] as ViewBranch | undefined;
  if (latest === undefined || branch?.latest !== latest.version) return latest;
  return branch.from === 0 ? undefined : await store.get(latest.body.id, { version: branch.from });
}

function knownIds({ body }: StoredVersion): readonly ObjectId[] {
  const summaries = body["summaries"] as SummaryRows | undefined;
  const pool = (body["pool"] as readonly PoolRow[]).flatMap(({ id, gone }) =>
    gone === true ? [] : [id],
  );
  return [...pool, ...Object.values(summaries?.turns ?? {})];
}

/**
 * Stores a new session and its chat. Returns false if another process has begun the session since it was opened: then the
 * state must be read again.
 */
export async function beginSession(
  { store }: SessionDependencies,
  host: HostSession,
  state: SessionState,
): Promise<boolean> {
  const chat = sealObject(chatBody(state.chat.state, () => undefined));
  const session = sealObject(sessionBody(state));
  let versions: readonly CommittedVersion[];
  try {
    // All processes use one request id for a host session, so only one of several concurrent starts creates it.
    const requestId = JSON.stringify(["begin session", host.harness, host.sessionId]);
    const writes = [chat, session].map((object) => ({ object, expect: 0 }));
    ({ versions } = await store.commit(writes, { requestId }));
  } catch (error) {
    if (StoreError.is(error, "REQUEST_CONFLICT")) return false;
    throw error;
  }
  const [madeChat, madeSession] = versions;
  if (madeChat === undefined || madeSession === undefined)
    throw new TypeError("the store returned too few versions");
  state.chat.keep({ ...chat, version: madeChat.version, at: madeChat.at });
  state.noteTransaction(madeSession.at.tx_id);
  state.noteStored(madeSession.version);
  return true;
}
