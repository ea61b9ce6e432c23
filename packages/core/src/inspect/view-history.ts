import {
  type DynamicReference,
  type ObjectId,
  type ObjectStore,
  resolveVersion,
  type StoredMetadata,
  StoreError,
} from "@self-context-manager/objects";
import type { HostSession } from "../host/host-session.ts";
import type { Layout } from "../view/layout.ts";
import { answersIn, chatIn, payloadOf, recordIn, summaryOf } from "./call-summary.ts";
import { sessionOf } from "./find-session.ts";
import { keptMessages } from "./kept-messages.ts";
import { rebuildCall } from "./rebuild-call.ts";
import type { ListedCall, RebuiltView, ViewProblem } from "./rebuilt-view.ts";
import { readerInTurn, versionReader, type VersionReader } from "./version-reader.ts";

/** The calls of one session. */
export interface ViewHistory {
  readonly session: StoredMetadata;
  /** The number of calls. The first call is 1. */
  readonly count: number;
  /** Rebuilds a call by its number; undefined if there is no such call. */
  rebuild(call: number): Promise<RebuiltView | undefined>;
  /**
   * Lists calls in order, from their own views only (default: from the first to the last). Nothing is rebuilt, and the
   * versions that the views name are not read.
   */
  list(from?: number, to?: number): AsyncIterable<ListedCall>;
  /**
   * Rebuilds calls in order (default: from the first to the last), with the same results as `rebuild`. Versions of the
   * session, its chat and its view are read once, and messages that are the same in the next view are kept.
   */
  verify(from?: number, to?: number): AsyncIterable<RebuiltView>;
}

/**
 * Returns the calls of a session. Each is rebuilt from the store alone and compared with the sent messages. Missing or
 * damaged versions are reported by object and version, and the rest is still rebuilt. `layouts` are the layouts that
 * the session may have used; a call of another layout has no messages and a problem. Undefined if there is no such
 * session. Rejects with the error of the store if the store cannot be read.
 */
export async function viewHistory(
  store: ObjectStore,
  layouts: readonly Layout[],
  session: ObjectId | HostSession,
): Promise<ViewHistory | undefined> {
  const found = await sessionOf(store, session);
  if (found === undefined) return undefined;
  const read = versionReader(store);
  const viewRef = found.body["view_ref"] as DynamicReference | undefined;
  const count = viewRef === undefined ? 0 : await countCalls(store, viewRef.id, found);
  const isCall = (call: number): boolean =>
    Number.isSafeInteger(call) && call >= 1 && call <= count;
  return {
    session: found,
    count,
    async rebuild(call) {
      if (viewRef === undefined || !isCall(call)) return undefined;
      return await rebuildCall(read, layouts, { sessionId: found.body.id, id: viewRef.id, call });
    },
    async *list(from = 1, to = count) {
      if (viewRef === undefined) return;
      const payloads = await payloadsOf(store, found);
      const inTurn = readerInTurn(store);
      for (let call = Math.max(1, from); call <= Math.min(to, count); call += 1)
        yield await listedCall(inTurn, layouts, viewRef.id, call, payloads);
    },
    async *verify(from = 1, to = count) {
      if (viewRef === undefined) return;
      const inTurn = readerInTurn(store);
      const kept = keptMessages();
      const place = { sessionId: found.body.id, id: viewRef.id };
      for (let call = Math.max(1, from); call <= Math.min(to, count); call += 1)
        yield await rebuildCall(inTurn, layouts, { ...place, call }, kept);
    },
  };
}

/** Returns the hashes of payloads by their calls, for all answers in the current branch of the chat. */
async function payloadsOf(
  store: ObjectStore,
  session: StoredMetadata,
): Promise<ReadonlyMap<number, string | undefined>> {
  const { id } = session.body["chat_ref"] as DynamicReference;
  const answers = answersIn(chatIn((await resolveVersion(store, id)).stored, () => {}));
  return new Map(answers.map(({ view = 0, payload_hash: hash }) => [view, hash]));
}

async function listedCall(
  read: VersionReader,
  layouts: readonly Layout[],
  id: ObjectId,
  call: number,
  payloads: ReadonlyMap<number, string | undefined>,
): Promise<ListedCall> {
  const problems: ViewProblem[] = [];
  const { stored, problem } = await read.version(id, { version: call });
  if (problem !== undefined) problems.push(problem);
  const recorded =
    stored === undefined
      ? undefined
      : recordIn(stored, layouts, (found) => void problems.push(found));
  if (stored === undefined || recorded === undefined)
    return { call, at: stored?.at ?? { tx_id: 0, tx_time: "" }, layout: "", tokens: 0, problems };
  const { record, layout } = recorded;
  const payload = payloads.has(call) ? payloads.get(call) : await payloadOf(read, stored);
  return {
    ...summaryOf(stored, record, layout, payload),
    ...(record.entries.length === 0 ? {} : { messages: record.entries.length }),
    problems,
  };
}

/** Rebuilds the view of one call of a session; undefined if there is no such session or call. */
export async function rebuildView(
  store: ObjectStore,
  layouts: readonly Layout[],
  session: ObjectId | HostSession,
  call: number,
): Promise<RebuiltView | undefined> {
  return await (await viewHistory(store, layouts, session))?.rebuild(call);
}

/**
 * Returns the number of versions of the view object. If its latest version cannot be read, the answers in the chat give
 * the number.
 */
async function countCalls(
  store: ObjectStore,
  id: ObjectId,
  session: StoredMetadata,
): Promise<number> {
  try {
    return (await store.describe([id]))[0]?.version ?? 0;
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
  }
  const chatRef = session.body["chat_ref"] as DynamicReference;
  const chat = chatIn((await resolveVersion(store, chatRef.id)).stored, () => {});
  return Math.max(0, ...answersIn(chat).map(({ view = 0 }) => view));
}
