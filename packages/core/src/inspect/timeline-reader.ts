import {
  boundedMap,
  type DynamicReference,
  isJsonObject,
  type JsonValue,
  metadataVersion,
  type ObjectId,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import type { HostSession } from "../host/host-session.ts";
import type { Layout } from "../view/layout.ts";
import { sessionOf } from "./find-session.ts";
import { readVersions } from "./read-versions.ts";
import { type ReadTimeline, readTimeline } from "./session-timeline.ts";
import type { SessionTimeline } from "./timeline.ts";

/**
 * Reads the timelines of sessions. It keeps the ones that were read last, so a live session costs only its new calls.
 */
export interface TimelineReader {
  /**
   * Returns the timeline of a session; undefined if there is no such session. `after`: only the calls after this number;
   * the parts are always all. The usage and the miss of the last call can be added by the next reading.
   *
   * A damaged view is reported in its call, and a damaged session leaves out what it would have said. Rejects with the
   * error of the store if the store itself cannot be read.
   */
  read(
    session: ObjectId | HostSession,
    options?: { readonly after?: number },
  ): Promise<SessionTimeline | undefined>;
  /** Whether the timeline of a session is kept, so that reading it again costs little. */
  has(session: ObjectId): boolean;
}

/** The number of timelines that are kept: one of 5,000 calls has some megabytes, and an inspector can run for days. */
const mostKept = 12;

/** Returns a reader of timelines. `layouts` are the layouts that the sessions may have used. */
export function timelineReader(store: ObjectStore, layouts: readonly Layout[]): TimelineReader {
  const known = boundedMap<ObjectId, { readonly read: ReadTimeline; done: Promise<unknown> }>(
    mostKept,
  );
  return {
    async read(session, { after = 0 } = {}) {
      const found = await foundOrDamaged(store, session);
      if (found === undefined) return undefined;
      const { id } = found.body;
      const kept = known.get(id) ?? {
        read: readTimeline(store, layouts, id),
        done: Promise.resolve(),
      };
      known.set(id, kept);
      const reading = readNext(store, kept.read, found.body["view_ref"], kept.done);
      // A reading that failed has kept what it read, and the next one continues from there.
      kept.done = reading.catch(() => undefined);
      await reading;
      return kept.read.timeline(after);
    },
    has: (session) => known.has(session),
  };
}

/** Reads what is new, after an earlier reading of the same session. */
async function readNext(
  store: ObjectStore,
  read: ReadTimeline,
  view: JsonValue | undefined,
  before: Promise<unknown>,
): Promise<void> {
  await before;
  if (!isJsonObject(view)) return;
  const viewId = (view as unknown as DynamicReference).id;
  await read.update(viewId, await countOf(store, viewId));
}

/** Returns the latest version of a session that can be read. */
async function foundOrDamaged(
  store: ObjectStore,
  session: ObjectId | HostSession,
): Promise<Pick<StoredMetadata, "body"> | undefined> {
  try {
    return await sessionOf(store, session);
  } catch (error) {
    if (typeof session !== "string" || !StoreError.is(error, "STORE_CORRUPT")) throw error;
    let last: StoredVersion | undefined;
    for await (const { stored } of readVersions(store, session, 1)) last = stored ?? last;
    return last?.body.type === "session" ? metadataVersion(last) : undefined;
  }
}

/** Returns the number of the latest version; undefined if it cannot be read. */
async function countOf(store: ObjectStore, id: ObjectId): Promise<number | undefined> {
  try {
    return (await store.describe([id]))[0]?.version ?? 0;
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    return undefined;
  }
}
