import {
  boundedMap,
  defined,
  type DynamicReference,
  everyItem,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { updateIndex } from "@self-context-manager/links";
import { shortName } from "@self-context-manager/core/host";
import {
  type RebuiltView,
  type SessionTimeline,
  type TimelineReader,
  timelineReader,
  viewHistory,
  type ViewHistory,
} from "@self-context-manager/core/inspect";

import type { NamedObject } from "../answers.ts";
import type { InspectedStore } from "../inspected-store.ts";
import { QuestionError } from "./question-error.ts";
import { type ShownVersions, shownVersions } from "./shown-versions.ts";

/** Returns the name of an object for people. */
export type Namer = (body: ObjectBody | ObjectMetadata, workspace: string) => string;

/** A store while it is read: what several questions need, and what is kept between them. */
export interface Reading extends InspectedStore {
  readonly timelines: TimelineReader;
  /** Returns the calls of a session. Rejects with `NOT_FOUND` if there is no such session. */
  history(session: ObjectId): Promise<ViewHistory>;
  /** Rebuilds a call of a session and the one before it; undefined if there is no such call. */
  rebuilt(
    session: ObjectId,
    call: number,
  ): Promise<{ readonly view: RebuiltView; readonly before?: RebuiltView } | undefined>;
  /** Returns the timeline of a session with all its calls. */
  timeline(session: ObjectId): Promise<SessionTimeline>;
  /** Returns which versions the calls of a session showed; undefined before its first call. */
  shown(session: StoredMetadata): Promise<ShownVersions | undefined>;
  /** Returns the metadata of the latest versions that can be read. */
  described(ids: Iterable<ObjectId>): Promise<ReadonlyMap<ObjectId, StoredMetadata>>;
  /** Returns the latest versions that can be read. */
  contents(ids: Iterable<ObjectId>): Promise<ReadonlyMap<ObjectId, StoredVersion>>;
  /** Returns the metadata of all sessions, the newest first. */
  sessions(): Promise<readonly StoredMetadata[]>;
  /** Returns the named form of an object; an object that cannot be read has its id as its name. */
  named(id: ObjectId, stored: StoredMetadata | undefined): NamedObject;
  /** Returns the folder in which the names of an object's links are looked up: that of a session which contains it. */
  folderOf(stored: StoredMetadata | undefined): string;
  /** Brings the document index up to date, as far as the store allows. */
  updateLinks(): Promise<void>;
}

/** The number of objects that are read at once: metadata, and contents, which can be long. */
const atOnce = { metadata: 200, contents: 20 };

const pageSize = 500;

/** The number of sessions whose history is kept, and of calls. */
const keptSessions = 4;
const keptCalls = 4;

/** Milliseconds that a question waits for the document index. */
const indexTime = 1_000;

/** Opens a store for questions. */
export function openReading(inspected: InspectedStore, name: Namer = usualName): Reading {
  const { store, layouts, parser } = inspected;
  const timelines = timelineReader(store, layouts);
  const histories = boundedMap<ObjectId, ViewHistory>(keptSessions);
  const rebuilt = boundedMap<string, Promise<RebuiltView | undefined>>(keptCalls);
  const shown = boundedMap<ObjectId, { versions: ShownVersions; updated: Promise<void> }>(
    keptSessions,
  );
  let workspaces: readonly string[] = [];
  /** The update of the document index that runs now: several questions wait for the same one. */
  let indexing: Promise<unknown> | undefined;

  async function history(session: ObjectId): Promise<ViewHistory> {
    const opened = await viewHistory(store, layouts, session);
    if (opened === undefined)
      throw new QuestionError("NOT_FOUND", "The store has no such session.");
    const kept = histories.get(session);
    // A history keeps versions that it has read, so the former one is used until there is a new call.
    if (kept?.count === opened.count && kept.session.version === opened.session.version)
      return kept;
    histories.set(session, opened);
    return opened;
  }

  /** Rebuilds a call. The last ones are kept, because the next question is often about the call beside it. */
  async function rebuiltCall(opened: ViewHistory, call: number): Promise<RebuiltView | undefined> {
    const key = `${opened.session.body.id} ${opened.session.version} ${call}`;
    const kept = rebuilt.get(key) ?? opened.rebuild(call);
    rebuilt.set(key, kept);
    try {
      return await kept;
    } catch (error) {
      // A call that could not be read is tried again with the next question.
      rebuilt.delete(key);
      throw error;
    }
  }

  async function described(
    ids: Iterable<ObjectId>,
  ): Promise<ReadonlyMap<ObjectId, StoredMetadata>> {
    return await readEach(ids, atOnce.metadata, async (some) => await store.describe(some));
  }

  /** Returns sessions in one order, as far as they can be read. */
  async function sessionsInOrder(
    newestFirst: boolean,
    limit: number,
  ): Promise<{ readonly found: readonly StoredMetadata[]; readonly isWhole: boolean }> {
    const found: StoredMetadata[] = [];
    const query = { where: { type: "session" }, newestFirst, limit };
    const whole = await undamaged(async () => {
      const pages = everyItem(async (place) => await store.find({ ...query, ...place }));
      for await (const session of pages) found.push(session);
      return true;
    });
    return { found, isWhole: whole === true };
  }

  /** A damaged session ends a list, so the others are then read one by one from both ends. */
  async function sessions(): Promise<readonly StoredMetadata[]> {
    const all = await sessionsInOrder(true, pageSize);
    if (all.isWhole) return all.found;
    const newest = (await sessionsInOrder(true, 1)).found;
    const oldest = (await sessionsInOrder(false, 1)).found;
    const known = new Set(newest.map(({ body }) => body.id));
    return [...newest, ...oldest.filter(({ body }) => !known.has(body.id)).toReversed()];
  }

  async function learnWorkspaces(): Promise<void> {
    if (workspaces.length > 0) return;
    // With a damaged view, paths are not shortened.
    const views = await undamaged(
      async () => await store.find({ where: { type: "view" }, newestFirst: true, limit: pageSize }),
    );
    workspaces = [
      ...new Set([
        ...(inspected.workspace === undefined ? [] : [inspected.workspace]),
        ...(views?.items ?? []).flatMap(({ body: { workspace } }) =>
          typeof workspace === "string" && workspace !== "" ? [workspace] : [],
        ),
      ]),
    ].toSorted((one, other) => other.length - one.length);
  }

  /** The folder of a session that contains an object. */
  function folderOf(stored: StoredMetadata | undefined): string {
    const path = stored?.body["path"];
    const inside =
      typeof path === "string"
        ? workspaces.find((folder) => path.startsWith(`${folder}/`))
        : undefined;
    return inside ?? inspected.workspace ?? "";
  }

  return {
    ...inspected,
    timelines,
    folderOf,
    history,
    sessions,
    async rebuilt(session, call) {
      const opened = await history(session);
      const view = await rebuiltCall(opened, call);
      if (view === undefined) return undefined;
      const before = await rebuiltCall(opened, call - 1);
      return { view, ...defined({ before }) };
    },
    async timeline(session) {
      const timeline = await timelines.read(session);
      if (timeline === undefined)
        throw new QuestionError("NOT_FOUND", "The store has no such session.");
      return timeline;
    },
    async shown({ body }) {
      const reference = body["view_ref"] as DynamicReference | undefined;
      if (reference === undefined) return undefined;
      const kept = shown.get(reference.id) ?? {
        versions: shownVersions(store, reference.id),
        updated: Promise.resolve(),
      };
      shown.set(reference.id, kept);
      // Questions at the same time read one after the other, so each view is read once.
      const update = async (): Promise<void> => await kept.versions.update();
      kept.updated = kept.updated.then(update, update);
      await kept.updated;
      return kept.versions;
    },
    async described(ids) {
      await learnWorkspaces();
      return await described(ids);
    },
    contents: async (ids) =>
      await readEach(ids, atOnce.contents, async (some) => await store.getMany(some)),
    named(id, stored) {
      if (stored === undefined) return { id, type: "", name: id };
      const { body } = stored;
      const text = name(body, folderOf(stored));
      return { id, type: body.type, name: text === "" ? id : text };
    },
    async updateLinks() {
      if (parser === undefined) return;
      const end = Date.now() + indexTime;
      indexing ??= updateIndex(store, parser, { mayContinue: () => Date.now() < end }).then(
        () => (indexing = undefined),
        (error: unknown) => {
          indexing = undefined;
          // The links that the index has are shown; a store that cannot be read fails with its own question.
          if (!StoreError.is(error)) throw error;
        },
      );
      await within(indexing, indexTime);
    },
  };
}

/**
 * Waits for work, but only so long. A store that another process has locked keeps its writers waiting for many seconds, and
 * a question need not wait with them.
 */
export async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const pause = Promise.withResolvers<void>();
  const timer = setTimeout(() => pause.resolve(), milliseconds);
  try {
    await Promise.race([work, pause.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The name of an object for people. */
function usualName(body: ObjectBody | ObjectMetadata, workspace: string): string {
  if (body.type !== "session") return shortName(workspace, body);
  return [body["harness"], body["session_id"]].filter((part) => typeof part === "string").join(" ");
}

/** Reads objects in steps. If one of a step is damaged, each is read by itself, and damaged ones are left out. */
async function readEach<Stored extends { readonly body: { readonly id: ObjectId } }>(
  ids: Iterable<ObjectId>,
  size: number,
  read: (some: readonly ObjectId[]) => Promise<readonly (Stored | undefined)[]>,
): Promise<ReadonlyMap<ObjectId, Stored>> {
  const all = [...new Set(ids)];
  const found = new Map<ObjectId, Stored>();
  for (let start = 0; start < all.length; start += size) {
    const some = all.slice(start, start + size);
    const versions = (await undamaged(async () => await read(some))) ?? [];
    const missing = versions.length === 0 ? some : [];
    for (const id of missing) {
      const one = await undamaged(async () => await read([id]));
      if (one?.[0] !== undefined) found.set(id, one[0]);
    }
    for (const stored of versions) if (stored !== undefined) found.set(stored.body.id, stored);
  }
  return found;
}

/** Reads something; undefined if it is damaged. */
export async function undamaged<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Whether an error concerns one object, so that others can be read. */
export function isDamage(error: unknown): error is StoreError {
  return StoreError.is(error, "STORE_CORRUPT");
}

/** Reads something; if it is damaged, notes the problem and returns the other value. */
export async function readOr<Result>(
  read: () => Promise<Result>,
  otherwise: Result,
  problems: string[],
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (!problems.includes(error.message)) problems.push(error.message);
    return otherwise;
  }
}

/** The problems as one text; no field if there are none. */
export function problemOf(problems: readonly string[]): { readonly problem?: string } {
  return problems.length === 0 ? {} : { problem: problems.join("; ") };
}
