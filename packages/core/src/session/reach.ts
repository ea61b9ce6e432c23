import { isDocument, type LinkParts, sharedTag, tagKey } from "@self-context-manager/links";
import {
  defined,
  describeAll,
  FileError,
  type FindQuery,
  isReference,
  isShared,
  type ObjectId,
  type ObjectMetadata,
  presenceOf,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { isInside } from "@self-context-manager/tracker";
import type { SessionScope } from "../state/session-scope.ts";

/** References to an object that are read at once, and those that are read at most to learn who saw it. */
const referencesAtOnce = 100;
const mostReferences = 2_000;

/**
 * Returns which of some objects the model of a session reaches, as their newest versions are given (decision D68):
 *
 * - what the session holds: its pool, its chat and its other records;
 * - files whose path is in the workspace, or was there when they were deleted;
 * - what a session of the workspace made: its tool calls, texts of the user, chats and summaries;
 * - what a session of the workspace saw: a tool call or another record of it refers to the object;
 * - what is shared on purpose: by the field `shared`, or the tag `shared` in the front matter of a document.
 *
 * A session is of the workspace that its newest view names. Everything is read from stored versions, and the work grows with
 * the number of the given objects, not with the store. With `findIn: "store"` all objects are reached.
 */
export async function reached(
  scope: SessionScope,
  objects: readonly StoredMetadata[],
): Promise<ReadonlySet<ObjectId>> {
  const found = new Set<ObjectId>();
  const tests = [areHeld, areNear, areMade, areShared, areSeen];
  let open = objects;
  if (scope.findIn === "store") return idsOf(objects);
  for (const test of tests) {
    if (open.length === 0) break;
    const passed = await test(scope, open);
    for (const id of passed) found.add(id);
    open = open.filter(({ body }) => !passed.has(body.id));
  }
  return found;
}

type Test = (
  scope: SessionScope,
  objects: readonly StoredMetadata[],
) => Promise<ReadonlySet<ObjectId>> | ReadonlySet<ObjectId>;

/** Returns those of some objects that the model of a session reaches, in their order. */
export async function withinReach(
  scope: SessionScope,
  objects: readonly StoredMetadata[],
): Promise<readonly StoredMetadata[]> {
  const ids = await reached(scope, objects);
  return objects.filter(({ body }) => ids.has(body.id));
}

/** Objects that are read at once, and those that are read at most to list objects of a kind. */
const listedAtOnce = 2_000;
const mostListed = 20_000;

/**
 * Returns the objects with fields that the model of a session reaches, newest first, until a number of them is found. Only so
 * many objects of the store are read that the answer does not wait for a store of any size.
 */
export async function listWithin(
  scope: SessionScope,
  kinds: readonly NonNullable<FindQuery["where"]>[],
  limit: number,
): Promise<readonly StoredMetadata[]> {
  const found: StoredMetadata[] = [];
  for (const where of kinds) {
    let after: string | undefined;
    for (let read = 0; read < mostListed && found.length < limit; read += listedAtOnce) {
      const page = await scope.dependencies.store.find({
        where,
        newestFirst: true,
        limit: listedAtOnce,
        ...defined({ after }),
      });
      found.push(...(await withinReach(scope, page.items)));
      after = page.next;
      if (after === undefined) break;
    }
  }
  return found.slice(0, limit);
}

/**
 * Returns those of some versions that the model reaches, of objects that it reaches. A file can have been in another
 * workspace before, and an object can have been seen, or shared, from a later version on. The newest version of an object is
 * reached with it.
 */
export async function versionsWithin(
  scope: SessionScope,
  versions: readonly StoredMetadata[],
): Promise<readonly StoredMetadata[]> {
  if (scope.findIn === "store" || versions.length === 0) return versions;
  const isNear = await nearness(scope);
  const isOpen = ({ body }: StoredMetadata): boolean =>
    !hasMaker(body) && !isShared(body) && !isNear(body);
  const open = idsOf(versions.filter(isOpen));
  const since = await seenSince(scope, [...open]);
  return versions.filter(
    (one) => !isOpen(one) || one.at.tx_id >= (since.get(one.body.id) ?? Number.POSITIVE_INFINITY),
  );
}

/** Returns what finds the links of documents within the reach of a session. */
export function linkParts(scope: SessionScope, parser: LinkParts["parser"]): LinkParts {
  const { store, workspace } = scope.dependencies;
  if (scope.findIn === "store") return { store, parser, workspace };
  const among: LinkParts["among"] = async (ids) =>
    await reached(scope, [...(await describeAll(store, ids)).values()]);
  return { store, parser, workspace, among };
}

const areHeld: Test = ({ state }, objects) => {
  const own = new Set([state.id, state.chat.id, state.sent.viewId]);
  for (const id of state.sent.systemPrompts.values()) own.add(id);
  return idsOf(objects.filter(({ body: { id } }) => state.pool.has(id) || own.has(id)));
};

const areNear: Test = async (scope, objects) => {
  const placed = objects.filter(({ body }) => placeOf(body) !== undefined);
  if (placed.length === 0) return new Set();
  const isNear = await nearness(scope);
  return idsOf(placed.filter(({ body }) => isNear(body)));
};

/** Returns whether a file is in the workspace, which has its real path and that by which it was given. */
async function nearness({
  dependencies: { files, workspace },
}: SessionScope): Promise<(body: ObjectMetadata) => boolean> {
  const roots = [...new Set([workspace, await realFolder(files, workspace)])];
  return (body) => {
    const path = placeOf(body);
    return path !== undefined && roots.some((root) => isInside(path, root));
  };
}

/** Returns the path of a file, or the last one of a deleted file. */
function placeOf(body: ObjectMetadata): string | undefined {
  const path = presenceOf(body) === "missing" ? body.provenance.origin : body["path"];
  return typeof path === "string" ? path : undefined;
}

async function realFolder(
  files: SessionScope["dependencies"]["files"],
  folder: string,
): Promise<string> {
  try {
    return (await files.stat(folder))?.realPath ?? folder;
  } catch (error) {
    // A workspace that cannot be examined has the path by which it was given.
    if (FileError.is(error)) return folder;
    throw error;
  }
}

const areMade: Test = async (scope, objects) => {
  const sessions = await sessionsOf(scope, objects);
  const here = await sessionsHere(scope, new Set(sessions.values()));
  return new Set([...sessions].flatMap(([id, session]) => (here.has(session) ? [id] : [])));
};

/** Whether an object is of one session, so that no other one makes it. */
function hasMaker({ type, session_ref: session, chat_ref: chat }: ObjectMetadata): boolean {
  return type === "session" || isReference(session) || isReference(chat);
}

/** Returns the sessions that made objects, as these name them or their chats. */
async function sessionsOf(
  scope: SessionScope,
  objects: readonly StoredMetadata[],
): Promise<ReadonlyMap<ObjectId, ObjectId>> {
  const { state } = scope;
  const sessions = new Map<ObjectId, ObjectId>();
  const chats = new Map<ObjectId, ObjectId>();
  for (const { body } of objects) {
    const chat = targetOf(body["chat_ref"]);
    // The own chat can be in no commit yet.
    const own = chat === state.chat.id ? state.id : undefined;
    const session = body.type === "session" ? body.id : (targetOf(body["session_ref"]) ?? own);
    if (session !== undefined) sessions.set(body.id, session);
    else if (chat !== undefined) chats.set(body.id, chat);
  }
  const owners = await ownersOf(scope, chats.values(), "session_ref");
  for (const [id, chat] of chats) {
    const session = owners.get(chat);
    if (session !== undefined) sessions.set(id, session);
  }
  return sessions;
}

/** Returns those of some sessions whose newest view is of the workspace, and the own one. */
async function sessionsHere(
  scope: SessionScope,
  sessions: ReadonlySet<ObjectId>,
): Promise<ReadonlySet<ObjectId>> {
  const { workspace } = scope.dependencies;
  const found = await workspacesOfSessions(scope, sessions);
  return new Set(
    [...sessions].filter((id) => id === scope.state.id || found.get(id) === workspace),
  );
}

async function workspacesOfSessions(
  scope: SessionScope,
  sessions: ReadonlySet<ObjectId>,
): Promise<ReadonlyMap<ObjectId, string>> {
  const views = await ownersOf(scope, sessions, "view_ref");
  const found = await describeAll(scope.dependencies.store, views.values());
  return new Map(
    [...views].flatMap(([id, view]) => {
      const workspace = found.get(view)?.body["workspace"];
      return typeof workspace === "string" ? [[id, workspace] as const] : [];
    }),
  );
}

/** Returns the objects to which a field of some objects refers. It is a field that never changes once it is there. */
async function ownersOf(
  { owners, dependencies: { store } }: SessionScope,
  ids: Iterable<ObjectId>,
  field: "session_ref" | "view_ref",
): Promise<ReadonlyMap<ObjectId, ObjectId>> {
  const all = [...new Set(ids)];
  const stored = await describeAll(
    store,
    all.filter((id) => !owners.has(id)),
  );
  for (const { body } of stored.values()) {
    const owner = targetOf(body[field]);
    if (owner !== undefined) owners.set(body.id, owner);
  }
  return new Map(
    all.flatMap((id) => {
      const owner = owners.get(id);
      return owner === undefined ? [] : [[id, owner] as const];
    }),
  );
}

/**
 * Returns the workspace of each chat by the chat's id, as the views of its session record it. A chat without a call of the
 * model has none.
 */
export async function workspacesOf(
  scope: SessionScope,
  chats: readonly StoredMetadata[],
): Promise<ReadonlyMap<ObjectId, string>> {
  const sessions = await sessionsOf(scope, chats);
  const workspaces = await workspacesOfSessions(scope, new Set(sessions.values()));
  return new Map(
    [...sessions].flatMap(([chat, session]) => {
      const workspace = workspaces.get(session);
      return workspace === undefined ? [] : [[chat, workspace] as const];
    }),
  );
}

const areShared: Test = async ({ dependencies: { documents, store } }, objects) => {
  const found = idsOf(objects.filter(({ body }) => isShared(body)));
  const open = objects.filter(({ body }) => !found.has(body.id) && isDocument(body));
  if (documents === undefined || open.length === 0) return found;
  const { name } = documents.parser;
  const tagged = new Set(await store.documents.tagged(name, sharedTag));
  const some = open.filter(({ body }) => tagged.has(body.id));
  const entries = await store.documents.entries(name, [...idsOf(some)]);
  for (const [index, { body, hashes }] of some.entries()) {
    const entry = entries[index];
    // The index can be behind: a tag that was removed since shares nothing.
    if (entry?.contentHash !== hashes.content_hash) continue;
    // A text can quote the tag; its author writes it into the front matter.
    const hasTag = entry.document?.tags.some(
      ({ path, tag }) => path !== "content" && tagKey(tag) === sharedTag,
    );
    if (hasTag === true) found.add(body.id);
  }
  return found;
};

const areSeen: Test = async (scope, objects) => {
  const others = objects.filter(({ body }) => !hasMaker(body));
  return new Set((await seenSince(scope, [...idsOf(others)])).keys());
};

/**
 * Returns the objects to which records of sessions of the workspace refer, with the transaction of the first version that
 * one of them names. Only the first references to an object are read.
 */
async function seenSince(
  scope: SessionScope,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, number>> {
  const { store } = scope.dependencies;
  const seen = new Map<ObjectId, number>();
  let open: readonly { readonly id: ObjectId; readonly after?: string }[] = ids.map((id) => ({
    id,
  }));
  for (let read = 0; open.length > 0 && read < mostReferences; read += referencesAtOnce) {
    const pages = await Promise.all(
      open.map(async ({ id, after }) => {
        const page = await store.referrers(id, { limit: referencesAtOnce, ...defined({ after }) });
        return { id, ...page };
      }),
    );
    const referrers = await describeAll(
      store,
      pages.flatMap(({ items }) => items.map((one) => one.id)),
    );
    const sessions = await sessionsOf(scope, [...referrers.values()]);
    const here = await sessionsHere(scope, new Set(sessions.values()));
    const isHere = (session: ObjectId | undefined): boolean =>
      session !== undefined && here.has(session);
    open = pages.flatMap(({ id, items, next }) => {
      const own = items.filter((one) => isHere(sessions.get(one.id)));
      for (const { reference } of own) {
        // A reference without a version means the newest one.
        const since = reference.ref === "static" ? reference.tx_id : Number.POSITIVE_INFINITY;
        seen.set(id, Math.min(seen.get(id) ?? since, since));
      }
      return own.length > 0 || next === undefined ? [] : [{ id, after: next }];
    });
  }
  return seen;
}

function targetOf(value: ObjectMetadata[string]): ObjectId | undefined {
  return isReference(value) ? value.id : undefined;
}

function idsOf(objects: readonly StoredMetadata[]): Set<ObjectId> {
  return new Set(objects.map(({ body }) => body.id));
}
