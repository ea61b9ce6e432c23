import {
  defined,
  groupsOf,
  type JsonObject,
  type JsonValue,
  listOfGroups,
  madeOnce,
  type ObjectBody,
  type ObjectId,
  type StaticReference,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { CacheState } from "../cost/cache-state.ts";
import { entryRow, readEntryRow } from "./entry-row.ts";
import type { ViewEntry } from "./view-entry.ts";
import type { ViewRecord } from "./view-record.ts";
import { callRow, readCallRow } from "./view-rows.ts";

/** The view of a session's last call, with the facts known about it since. */
export interface SentView {
  readonly id: ObjectId;
  /** Number of the call, from 1. It is the version of the view object. */
  readonly call: number;
  readonly record: ViewRecord;
  /** Estimated tokens of the messages. */
  readonly tokens: number;
  /** Whether the chat contains the model's answer to it. */
  readonly isAnswered: boolean;
  /** SHA-256 of the request as the provider got it. It is stored with the answer. */
  readonly payloadHash?: string;
  readonly cache?: CacheState;
  /** The objects that the user had forgotten, as a whole or in part, since the call. */
  readonly forgotten?: readonly ObjectId[];
}

/** The facts that a view object stores: the record and its call. */
export interface ViewFacts {
  readonly id: ObjectId;
  readonly sessionId: ObjectId;
  readonly chatId: ObjectId;
  /** The versions of the system prompts that were sent with the call, by origin. */
  readonly systemPrompts: ReadonlyMap<string, StaticReference>;
  readonly record: ViewRecord;
  readonly tokens: number;
  /** Hash of the messages as they were passed to the harness. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
}

/**
 * Returns the view object to store. A session has one, with one version for each model call. The chat of a call is the
 * chat as of the transaction of that version. All other objects are named by version.
 *
 * The fields that change with every call are `entries` and `memory`. Stores keep them as deltas.
 */
export function viewBody(facts: ViewFacts): ObjectBody {
  const { record } = facts;
  return {
    id: facts.id,
    type: "view",
    locked: true,
    content: null,
    session_ref: { ref: "dynamic", id: facts.sessionId },
    chat_ref: { ref: "dynamic", id: facts.chatId },
    system_prompt_refs: Object.fromEntries(facts.systemPrompts),
    layout: record.layout,
    workspace: record.workspace,
    entries: listOfGroups(groupsOf(record.entries).map(rowsOf)),
    memory: {
      ...record.memory,
      call: callRow({ ...facts, turns: record.turns, steps: record.steps }),
    },
    provenance: { origin: "session", generator: "system" },
  };
}

/** The rows of groups of entries. Nearly all groups are in many views. */
const rows = new WeakMap<readonly ViewEntry[], readonly JsonValue[]>();

function rowsOf(group: readonly ViewEntry[]): readonly JsonValue[] {
  return madeOnce(rows, group, () => Object.freeze(group.map(entryRow)));
}

/**
 * Returns the record of a stored view object. Throws `TypeError` if it contains none. `entryOf` returns the entry of a
 * row; a reader of many views can keep the entries.
 */
export function viewRecord(
  { body }: StoredVersion,
  entryOf: (row: JsonValue) => ViewEntry = readEntryRow,
): ViewRecord {
  const { call, ...memory } = memoryOf(body);
  const { turns, steps } = readCallRow(call);
  return {
    layout: body["layout"] as string,
    workspace: body["workspace"] as string,
    turns,
    steps,
    entries: (body["entries"] as readonly JsonValue[]).map((row) => entryOf(row)),
    memory,
  };
}

/** Returns what a stored view records about its messages: their tokens and their hash. */
export function sentMessages({ body }: StoredVersion): {
  readonly tokens: number;
  readonly messagesHash: string;
} {
  return readCallRow(memoryOf(body)["call"]);
}

/** Returns a session's last call, read from its stored view object. */
export function sentView(stored: StoredVersion, isAnswered: boolean): SentView {
  const { body } = stored;
  const { tokens, cache } = readCallRow(memoryOf(body)["call"]);
  return {
    id: body.id,
    call: stored.version,
    record: viewRecord(stored),
    tokens,
    isAnswered,
    ...defined({ cache, forgotten: forgottenSince(body) }),
  };
}

/** What a rewrite notes in the last view of a session that it concerns (decision D69). */
type ForgottenSince = { readonly objects: readonly ObjectId[] };

/** Returns the objects that were forgotten since a view was sent. */
function forgottenSince(body: ObjectBody): readonly ObjectId[] | undefined {
  return (body["forgotten_since"] as ForgottenSince | undefined)?.objects;
}

function memoryOf(body: ObjectBody): JsonObject {
  return body["memory"] as JsonObject;
}
