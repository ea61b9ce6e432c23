import type { ObjectBody } from "../objects/object-body.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { JsonObject } from "../objects/json.ts";
import type { CacheState } from "../cost/cache-state.ts";
import type { CostAccount } from "../cost/cost-account.ts";
import type { StoredVersion } from "../objects/stored-version.ts";
import type { ViewRecord } from "./view-record.ts";

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
  readonly cache?: CacheState;
  readonly account?: CostAccount;
}

/** What a view object says of its call beside the record. */
export interface ViewFacts {
  readonly id: ObjectId;
  readonly sessionId: ObjectId;
  readonly chatId: ObjectId;
  readonly systemPrompts: ReadonlyMap<string, ObjectId>;
  readonly record: ViewRecord;
  readonly tokens: number;
  /** SHA-256 over the digests of the messages, as they were handed to the harness. */
  readonly messagesHash: string;
  readonly cache?: CacheState;
  readonly account?: CostAccount;
}

/**
 * The view object to store: one per session, one version for each model call (design §7). The chat and the system
 * prompts that went with a call are those as of the transaction of its version; everything else is named by version.
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
    system_prompt_refs: Object.fromEntries(
      [...facts.systemPrompts].map(([origin, id]) => [origin, { ref: "dynamic" as const, id }]),
    ),
    layout: record.layout,
    workspace: record.workspace,
    turns_seen: record.turns,
    steps_seen: record.steps,
    entries: record.entries,
    memory: record.memory,
    token_count: facts.tokens,
    messages_hash: facts.messagesHash,
    ...(facts.cache === undefined ? {} : { cache: facts.cache as unknown as JsonObject }),
    ...(facts.account === undefined ? {} : { account: facts.account as unknown as JsonObject }),
    provenance: { origin: "session", generator: "system" },
  };
}

/** The record of a stored view object. */
export function viewRecord({ body }: StoredVersion): ViewRecord {
  return {
    layout: body["layout"] as string,
    workspace: body["workspace"] as string,
    turns: body["turns_seen"] as number,
    steps: body["steps_seen"] as number,
    entries: body["entries"] as unknown as ViewRecord["entries"],
    memory: body["memory"] as JsonObject,
  };
}

/** A session's last call, from its stored view object. */
export function sentView(stored: StoredVersion, isAnswered: boolean): SentView {
  const { body } = stored;
  const cache = body["cache"] as CacheState | undefined;
  const account = body["account"] as CostAccount | undefined;
  return {
    id: body.id,
    call: stored.version,
    record: viewRecord(stored),
    tokens: body["token_count"] as number,
    isAnswered,
    ...(cache === undefined ? {} : { cache }),
    ...(account === undefined ? {} : { account }),
  };
}
