import { backlinksOf, type LinkParts, sharedTag } from "@self-context-manager/links";
import {
  everyItem,
  type JsonValue,
  type ObjectId,
  type ObjectStore,
  type Referrer,
} from "@self-context-manager/objects";
import type { ContainedObject, StoreContents } from "./store-contents.ts";

/** The objects that go with sessions, and those of these sessions that stay. */
export interface RemovableObjects {
  readonly removed: ReadonlySet<ObjectId>;
  readonly kept: ReadonlyMap<ObjectId, KeptReason>;
  /** The session because of which a file is removed: the first one that knows it. */
  readonly filesOf: ReadonlyMap<ObjectId, ObjectId>;
}

/**
 * Why an object stays. `nickname` and `shared`: the user has named it, or it is for all sessions. `session`: a session that
 * stays knows it. `workspace`: it is a file in the workspace of a session that stays. `reference`: an object that stays
 * refers to it or has a link to it. `by` is the session or the object.
 */
export type KeptReason =
  | { readonly why: "nickname" | "shared" }
  | { readonly why: "session" | "workspace" | "reference"; readonly by: ObjectId };

/** What is asked about a store. Without `links`, no link of a document counts. */
export interface RemovalSource {
  readonly store: ObjectStore;
  readonly contents: StoreContents;
  readonly links?: Pick<LinkParts, "parser">;
}

/**
 * Returns the objects that only some sessions hold: their parts, and the files that they know. What stays never refers to
 * what is removed, except by the fields that say where a part of a session came from (`chat_ref`, `session_ref` and
 * `provenance`), which the store keeps as references to an unknown object. Only latest versions count. Notes, and objects
 * of types that this program does not know, always stay.
 */
export async function removableObjects(
  source: RemovalSource,
  sessions: ReadonlySet<ObjectId>,
): Promise<RemovableObjects> {
  const { contents } = source;
  const names = await namesIn(source, sessions);
  const filesOf = filesOfSessions(contents, sessions, names.removed);
  const candidates = new Set<ObjectId>(filesOf.keys());
  for (const { id, session } of contents.objects.values())
    if (session !== undefined && sessions.has(session)) candidates.add(id);
  const kept = new Map<ObjectId, KeptReason>();
  const tagged = await taggedObjects(source);
  const workspaces = remainingWorkspaces(contents, sessions);
  /** The candidates to which a candidate refers, so that they stay with it. */
  const held = new Map<ObjectId, ObjectId[]>();
  for (const id of candidates) {
    const object = contents.objects.get(id);
    if (object === undefined) continue;
    const reason = ownReason(object, { remaining: names.remaining, tagged, workspaces });
    if (reason !== undefined) kept.set(id, reason);
    for (const by of await holdersOf(source, object)) {
      if (candidates.has(by)) held.set(by, [...(held.get(by) ?? []), id]);
      else if (!kept.has(id)) kept.set(id, { why: "reference", by });
    }
  }
  // Entries that are added meanwhile are visited too.
  for (const [by] of kept)
    for (const id of held.get(by) ?? []) if (!kept.has(id)) kept.set(id, { why: "reference", by });
  return { removed: new Set([...candidates].filter((id) => !kept.has(id))), kept, filesOf };
}

/** The objects that sessions name in their latest states, each with the first session that does. */
interface Names {
  readonly remaining: ReadonlyMap<ObjectId, ObjectId>;
  readonly removed: ReadonlyMap<ObjectId, ObjectId>;
}

/**
 * Returns the objects whose ids are anywhere in a session object: in the pool, in the sets, among the summaries. They are no
 * references there, so a store has no index of them.
 */
async function namesIn(
  { store, contents }: RemovalSource,
  sessions: ReadonlySet<ObjectId>,
): Promise<Names> {
  const remaining = new Map<ObjectId, ObjectId>();
  const removed = new Map<ObjectId, ObjectId>();
  for (const session of contents.sessions.keys()) {
    const found = sessions.has(session) ? removed : remaining;
    visitTexts((await store.get(session))?.body, (text) => {
      const name = text as ObjectId;
      if (contents.objects.has(name) && !found.has(name)) found.set(name, session);
    });
  }
  return { remaining, removed };
}

function visitTexts(value: JsonValue | undefined, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  if (typeof value !== "object" || value === null) return;
  for (const item of Object.values(value)) visitTexts(item, visit);
}

/** Returns the files that sessions know, or that a part of them refers to, each with the first of these sessions. */
function filesOfSessions(
  { objects }: StoreContents,
  sessions: ReadonlySet<ObjectId>,
  named: ReadonlyMap<ObjectId, ObjectId>,
): ReadonlyMap<ObjectId, ObjectId> {
  const files = new Map<ObjectId, ObjectId>();
  const add = (id: ObjectId, session: ObjectId): void => {
    if (objects.get(id)?.type === "file" && !files.has(id)) files.set(id, session);
  };
  for (const [id, session] of named) add(id, session);
  for (const { session, refersTo } of objects.values())
    if (session !== undefined && sessions.has(session)) for (const id of refersTo) add(id, session);
  return files;
}

/** The workspaces of sessions that stay, each with the first of these sessions. */
function remainingWorkspaces(
  contents: StoreContents,
  removed: ReadonlySet<ObjectId>,
): ReadonlyMap<string, ObjectId> {
  const workspaces = new Map<string, ObjectId>();
  for (const { id, workspace } of contents.sessions.values())
    if (workspace !== undefined && !removed.has(id) && !workspaces.has(workspace))
      workspaces.set(workspace, id);
  return workspaces;
}

interface OwnReasons {
  readonly remaining: ReadonlyMap<ObjectId, ObjectId>;
  readonly tagged: ReadonlySet<ObjectId>;
  readonly workspaces: ReadonlyMap<string, ObjectId>;
}

/** Returns why an object stays whatever refers to it; undefined if there is no such reason. */
function ownReason(
  { id, type, nickname, isShared, path }: ContainedObject,
  { remaining, tagged, workspaces }: OwnReasons,
): KeptReason | undefined {
  if (nickname !== undefined) return { why: "nickname" };
  if (isShared || tagged.has(id)) return { why: "shared" };
  const session = remaining.get(id);
  if (session !== undefined) return { why: "session", by: session };
  if (type !== "file") return undefined;
  for (let folder = path; folder !== undefined; folder = parentOf(folder)) {
    const by = workspaces.get(folder);
    if (by !== undefined) return { why: "workspace", by };
  }
  return undefined;
}

/** The folder of a path of any platform, because a store can be looked at on another machine. */
export function parentOf(path: string): string | undefined {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (end > 0) return path.slice(0, end);
  return end === 0 && path.length > 1 ? path.slice(0, 1) : undefined;
}

async function taggedObjects({ store, links }: RemovalSource): Promise<ReadonlySet<ObjectId>> {
  if (links === undefined) return new Set();
  return new Set(await store.documents.tagged(links.parser.name, sharedTag));
}

/** Returns the objects that need an object: their references to it say more than where they came from, or are links. */
async function holdersOf(
  { store, contents, links }: RemovalSource,
  { id, type, path }: ContainedObject,
): Promise<ReadonlySet<ObjectId>> {
  const holders = new Set<ObjectId>();
  for await (const referrer of everyItem(
    async (place) => await store.referrers(id, { limit: referrersAtOnce, ...place }),
  ))
    if (!isOrigin(referrer, contents)) holders.add(referrer.id);
  if (links !== undefined && type === "file" && path !== undefined) {
    for (const workspace of workspacesAround(path, contents))
      for (const { from } of await backlinksOf(id, { store, workspace, ...links }))
        holders.add(from.id);
  }
  holders.delete(id);
  return holders;
}

const referrersAtOnce = 1_000;

/** The types of the parts of a session whose references to the session or to its chat say only where they came from. */
const typesWithOrigin: ReadonlySet<string> = new Set(["chat", "summary", "toolcall", "user"]);

/** Whether a reference says only where a part of a session came from. */
export function isOrigin(
  { id, path }: Pick<Referrer, "id" | "path">,
  { objects }: StoreContents,
): boolean {
  if (!typesWithOrigin.has(objects.get(id)?.type ?? "")) return false;
  return path === "/chat_ref" || path === "/session_ref" || path.startsWith("/provenance/");
}

/** The folders in which links can mean the file at a path by a part of the path. */
function workspacesAround(path: string, { sessions }: StoreContents): ReadonlySet<string> {
  const known = new Set([...sessions.values()].map(({ workspace }) => workspace));
  const around = new Set<string>();
  for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder))
    if (around.size === 0 || known.has(folder)) around.add(folder);
  return around;
}
