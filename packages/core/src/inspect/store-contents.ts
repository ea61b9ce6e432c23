import {
  collectReferences,
  defined,
  isJsonObject,
  isReference,
  isShared,
  type JsonValue,
  type ObjectId,
  type ObjectStore,
  oneLine,
  type StoredMetadata,
  StoreError,
} from "@self-context-manager/objects";
import { textOf } from "../chat/message.ts";
import type { Turn } from "../chat/turn.ts";

/** The objects of a store with the sessions that made them. */
export interface StoreContents {
  readonly objects: ReadonlyMap<ObjectId, ContainedObject>;
  /** In the order of their first commits. */
  readonly sessions: ReadonlyMap<ObjectId, ContainedSession>;
}

/** An object, as its latest version describes it. */
export interface ContainedObject {
  readonly id: ObjectId;
  readonly type: string;
  /** The number of the latest version. */
  readonly version: number;
  /** The time of the latest version. */
  readonly changed: string;
  /**
   * The session of which the object is a part: it is the session, its chat, its view, one of its system prompts, or an
   * archived chat, tool call, user object or summary that names them. Files and notes are parts of none.
   */
  readonly session?: ObjectId;
  /** Characters of the content; undefined if it has none. */
  readonly characters?: number;
  /** The path of a file, or the last one of a deleted file. */
  readonly path?: string;
  readonly nickname?: string;
  /** Whether the user has shared it with the sessions of all workspaces. */
  readonly isShared: boolean;
  /** The objects to which the metadata of the latest version refer. */
  readonly refersTo: readonly ObjectId[];
}

/** A session of a store. */
export interface ContainedSession {
  readonly id: ObjectId;
  readonly harness: string;
  /** The host's id of the session. */
  readonly sessionId: string;
  readonly chat?: ObjectId;
  /** The working folder of its latest call; undefined without a call. */
  readonly workspace?: string;
  /** The number of calls of the model. */
  readonly calls: number;
  /** The time of the latest version of one of its objects. */
  readonly changed: string;
}

const objectsAtOnce = 500;

/** Reads what a store has, without contents and without earlier versions. */
export async function storeContents(store: ObjectStore): Promise<StoreContents> {
  const found = new Map<ObjectId, Found>();
  let after: string | undefined;
  do {
    const page = await store.find({ limit: objectsAtOnce, ...defined({ after }) });
    for (const one of page.items) found.set(one.body.id, foundIn(one));
    after = page.next;
  } while (after !== undefined);
  const makers = makersOf(found);
  const objects = new Map(
    [...found].map(([id, { object }]) => {
      const session = makers.get(id);
      return [id, session === undefined ? object : { ...object, session }] as const;
    }),
  );
  return { objects, sessions: sessionsIn(found, objects) };
}

/** Versions of a chat in which its first words are looked for. The first one can be from before the user's message. */
const mostVersions = 4;

/** Returns the beginning of what the user said first in a chat; undefined if it cannot be known. */
export async function firstWords(
  store: ObjectStore,
  chat: ObjectId,
  longest: number,
): Promise<string | undefined> {
  try {
    // The first versions are short, however long the chat is now.
    for await (const { body } of store.versions(chat, { to: mostVersions })) {
      const turns = (body["turns"] ?? []) as readonly Turn[];
      const said = turns.find(({ user }) => user !== null)?.user;
      if (said === undefined || said === null) continue;
      const words = oneLine(textOf(said).slice(0, longest * 2)).trim();
      return words.length > longest ? `${words.slice(0, longest - 1)}…`.toWellFormed() : words;
    }
    return undefined;
  } catch (error) {
    // A damaged chat has no words, and is counted as any other.
    if (StoreError.is(error, "STORE_CORRUPT")) return undefined;
    throw error;
  }
}

/** What the metadata of an object say. */
interface Found {
  readonly object: ContainedObject;
  /** The session that a field of the object names. */
  readonly maker?: ObjectId;
  /** The chat that a field of the object names. */
  readonly chat?: ObjectId;
  /** The objects that a session names as its parts. */
  readonly parts: readonly ObjectId[];
  readonly host: Pick<ContainedSession, "harness" | "sessionId">;
  readonly workspace?: string;
}

function foundIn({ body, version, at }: StoredMetadata): Found {
  const { provenance, char_count: characters, path, nickname } = body;
  const prompts = body["system_prompt_refs"];
  const isSession = body.type === "session";
  const place = typeof path === "string" || body.type !== "file" ? path : provenance.origin;
  const references = collectReferences(body).map(({ reference }) => reference.id);
  return {
    object: {
      id: body.id,
      type: body.type,
      version,
      changed: at.tx_time,
      ...defined({ characters: typeof characters === "number" ? characters : undefined }),
      ...defined({ path: typeof place === "string" ? place : undefined, nickname }),
      isShared: isShared(body),
      refersTo: [...new Set(references)],
    },
    ...defined({ maker: idIn(body["session_ref"]), chat: idIn(body["chat_ref"]) }),
    parts: isSession
      ? [body["chat_ref"], body["view_ref"], ...Object.values(isJsonObject(prompts) ? prompts : {})]
          .map(idIn)
          .filter((id) => id !== undefined)
      : [],
    host: { harness: textIn(body["harness"]), sessionId: textIn(body["session_id"]) },
    ...defined({
      workspace: typeof body["workspace"] === "string" ? body["workspace"] : undefined,
    }),
  };
}

function textIn(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function idIn(value: JsonValue | undefined): ObjectId | undefined {
  return isReference(value) ? value.id : undefined;
}

/** Returns the session of each object that is a part of one. */
function makersOf(found: ReadonlyMap<ObjectId, Found>): ReadonlyMap<ObjectId, ObjectId> {
  const makers = new Map<ObjectId, ObjectId>();
  for (const [id, { object, parts }] of found) {
    if (object.type !== "session") continue;
    makers.set(id, id);
    for (const part of parts) makers.set(part, id);
  }
  for (const [id, { object, maker, chat }] of found) {
    if (makers.has(id) || !partTypes.has(object.type)) continue;
    const named = maker ?? (chat === undefined ? undefined : found.get(chat)?.maker);
    if (named !== undefined && found.get(named)?.object.type === "session") makers.set(id, named);
  }
  return makers;
}

/** The types of objects that are parts of a session. Objects of other types can name a session without being a part. */
const partTypes: ReadonlySet<string> = new Set(["chat", "summary", "toolcall", "user", "view"]);

function sessionsIn(
  found: ReadonlyMap<ObjectId, Found>,
  objects: StoreContents["objects"],
): StoreContents["sessions"] {
  const sessions = new Map<ObjectId, Mutable<ContainedSession>>();
  for (const [id, { object, chat, host }] of found) {
    if (object.type !== "session") continue;
    sessions.set(id, { id, ...host, ...defined({ chat }), calls: 0, changed: object.changed });
  }
  for (const { id, type, session: maker, changed, version } of objects.values()) {
    const session = maker === undefined ? undefined : sessions.get(maker);
    if (session === undefined) continue;
    if (Date.parse(changed) > Date.parse(session.changed)) session.changed = changed;
    const workspace = found.get(id)?.workspace;
    if (type === "view") session.calls += version;
    if (type === "view" && workspace !== undefined) session.workspace = workspace;
  }
  return sessions;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };
