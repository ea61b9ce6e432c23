import type {
  JsonObject,
  JsonValue,
  ObjectBody,
  ObjectId,
  StaticReference,
  StoredVersion,
} from "@self-context-manager/objects";
import type { CacheState } from "../cost/cache-state.ts";
import { entryRow, readEntryRow } from "./entry-row.ts";
import type { ViewRecord } from "./view-record.ts";
import { callRow, readCallRow } from "./view-rows.ts";

/** What a session's last call saw, and what is known of it since. */
export interface SentView {
  readonly id: ObjectId;
  /** The call, from 1, which is the version of the view object. */
  readonly call: number;
  readonly record: ViewRecord;
  /** Estimated tokens of the messages. */
  readonly tokens: number;
  /** Whether the model's answer to it is in the chat. */
  readonly isAnswered: boolean;
  /** SHA-256 of the request as the provider got it; it is stored with the answer. */
  readonly payloadHash?: string;
  readonly cache?: CacheState;
}

/** What a view object says of its call beside the record. */
export interface ViewFacts {
  readonly id: ObjectId;
  readonly sessionId: ObjectId;
  readonly chatId: ObjectId;
  /** The versions that went with the call, by origin. */
  readonly systemPrompts: ReadonlyMap<string, StaticReference>;
  readonly record: ViewRecord;
  readonly tokens: number;
  /** Of the messages as they were handed to the harness. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
}

/**
 * The view object to store: one per session, one version for each model call (design §7). The chat that went with a
 * call is that as of the transaction of its version; everything else is named by version.
 *
 * What changes with every call stands in `entries` and `memory`, which stores keep as deltas.
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
    entries: record.entries.map(entryRow),
    memory: {
      ...record.memory,
      call: callRow({ ...facts, turns: record.turns, steps: record.steps }),
    },
    provenance: { origin: "session", generator: "system" },
  };
}

/** The record of a stored view object. Throws `TypeError` where it holds none. */
export function viewRecord({ body }: StoredVersion): ViewRecord {
  const { call, ...memory } = memoryOf(body);
  const { turns, steps } = readCallRow(call);
  return {
    layout: body["layout"] as string,
    workspace: body["workspace"] as string,
    turns,
    steps,
    entries: (body["entries"] as readonly JsonValue[]).map(readEntryRow),
    memory,
  };
}

/** What a stored view says of its messages: their tokens, and the hash that they had. */
export function sentMessages({ body }: StoredVersion): {
  readonly tokens: number;
  readonly messagesHash: string;
} {
  return readCallRow(memoryOf(body)["call"]);
}

/** A session's last call, from its stored view object. */
export function sentView(stored: StoredVersion, isAnswered: boolean): SentView {
  const { body } = stored;
  const { tokens, cache } = readCallRow(memoryOf(body)["call"]);
  return {
    id: body.id,
    call: stored.version,
    record: viewRecord(stored),
    tokens,
    isAnswered,
    ...(cache === undefined ? {} : { cache }),
  };
}

function memoryOf(body: ObjectBody): JsonObject {
  return body["memory"] as JsonObject;
}
