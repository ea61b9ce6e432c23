import { StoreError } from "../errors.ts";
import type { Layout } from "../layout/layout.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { DynamicReference } from "../objects/references.ts";
import { resolveVersion } from "../objects/resolve-reference.ts";
import type { StoredMetadata } from "../objects/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { HostSession } from "../session/open-state.ts";
import { answersIn, chatIn, recordIn, summaryOf } from "./call-summary.ts";
import { rebuildCall } from "./rebuild-call.ts";
import type { CallSummary, RebuiltView } from "./rebuilt-view.ts";
import { versionReader } from "./version-reader.ts";

/** The calls of one session. */
export interface ViewHistory {
  readonly session: StoredMetadata;
  /** How many calls there are; the first is 1. */
  readonly count: number;
  /** A call by its number; undefined where there is none such. */
  rebuild(call: number): Promise<RebuiltView | undefined>;
  /** What a call says of itself, without its messages; undefined where there is none such or it cannot be read. */
  summary(call: number): Promise<CallSummary | undefined>;
}

/**
 * The calls of a session, each made again from the store alone and compared with what was handed over. What is missing
 * or damaged is told by object and version, and the rest is still made. `layouts` are those that the session may have
 * had; a call of any other has no messages and says so. Undefined where there is no such session. Rejects with the
 * store's own error where it cannot be asked.
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
    async summary(call) {
      if (viewRef === undefined || !isCall(call)) return undefined;
      const { stored } = await read.version(viewRef.id, { version: call });
      const record = stored === undefined ? undefined : recordIn(stored, () => {});
      if (stored === undefined || record === undefined) return undefined;
      return await summaryOf(read, stored, record);
    },
  };
}

/** What one call of a session saw; undefined where there is no such session or call. */
export async function rebuildView(
  store: ObjectStore,
  layouts: readonly Layout[],
  session: ObjectId | HostSession,
  call: number,
): Promise<RebuiltView | undefined> {
  return await (await viewHistory(store, layouts, session))?.rebuild(call);
}

async function sessionOf(
  store: ObjectStore,
  session: ObjectId | HostSession,
): Promise<StoredMetadata | undefined> {
  if (typeof session === "string") {
    const [found] = await store.describe([session]);
    return found?.body.type === "session" ? found : undefined;
  }
  const where = { type: "session", harness: session.harness, session_id: session.sessionId };
  return (await store.find({ where, limit: 1 })).items[0];
}

/** The versions of the view object; where its head cannot be read, as many as the chat's answers tell of. */
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
