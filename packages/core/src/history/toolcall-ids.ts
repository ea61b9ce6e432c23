import {
  isObjectId,
  type ObjectId,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";

import { argsDisplay } from "../chat/args-display.ts";
import { upTo } from "../chat/chat-body.ts";
import {
  argumentsOf,
  isToolCall,
  type Message,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../chat/message.ts";
import { positionBefore } from "../chat/turn.ts";
import type { FileRendering } from "../host/file-rendering.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { PairedCalls } from "./paired-calls.ts";
import {
  isSpoken,
  type NewCall,
  sharedCalls,
  spokenIn,
  spokenLength,
  spokenMessages,
} from "./shared-calls.ts";

/** The objects that the store already has for calls whose results are ingested, by id. */
export type KnownToolcalls = Map<ObjectId, StoredMetadata>;

/** The calls and results of new messages, on the way to their objects. */
export interface ArrivingCalls {
  readonly paired: PairedCalls;
  readonly known: KnownToolcalls;
  readonly fileRendering: FileRendering | undefined;
}

/**
 * Returns the object id of each new call. It is the provider id if no other object has that id. A fork gets the objects
 * of the session that it continues: of the same execution in the same chat. Otherwise it is a new id, because two
 * executions must not share an object (decision D31). Shared objects are added to `known`.
 */
export async function chooseObjectIds(
  scope: SessionScope,
  messages: readonly Message[],
  { paired, known, fileRendering: rendering }: ArrivingCalls,
): Promise<ReadonlyMap<ToolCallBlock, ObjectId>> {
  const { state, dependencies } = scope;
  const calls = callsIn(messages, paired, spokenLength(state.chat.turns));
  const wanted = [...new Set(calls.map(({ call }) => call.id).filter(isObjectId))];
  const owners = await ownersOf(dependencies.store, wanted);
  // A fork is a session whose first messages are the history of another.
  let searches = state.chat.known.size === 0 ? mostSearches : 0;
  const shared = await sharedCalls(scope, {
    calls: calls.filter(hasResult),
    candidates: async (call) => {
      const { id } = call;
      const owner = owners.get(id)?.object;
      const own = owner === undefined ? [] : [owner];
      if (searches === 0) return own;
      searches -= 1;
      return [...own, ...(await callsOfProvider(dependencies.store, call))];
    },
    spoken: () => [...spokenIn(state.chat.turns), ...spokenMessages(messages)],
    rendering,
  });
  const taken = new Set<string>();
  const mayShare = (id: ObjectId): boolean =>
    !known.has(id) && !state.pool.has(id) && !state.chat.placedCalls.has(id);
  const chosen = new Map<ToolCallBlock, ObjectId>();
  for (const one of calls) {
    const { call } = one;
    const found = hasResult(one) ? shared.get(one) : undefined;
    const stored = found !== undefined && mayShare(found.body.id) ? found : undefined;
    const isFree =
      isObjectId(call.id) && !taken.has(call.id) && !state.chat.placedCalls.has(call.id);
    const isOwn = isFree && !isTaken(owners.get(call.id));
    if (stored !== undefined) known.set(stored.body.id, stored);
    taken.add(call.id);
    chosen.set(call, stored?.body.id ?? (isOwn ? call.id : dependencies.ids.next()));
  }
  return chosen;
}

/** Number of calls of a fork, from its end, that are searched for by their provider ids. */
const mostSearches = 16;
/** Number of objects that are compared with a call. Chats whose ids count from 0 have many of each. */
const mostCandidates = 64;

/** Returns the newest stored calls that have another id as objects, and the provider's id and arguments of a call. */
async function callsOfProvider(
  store: ObjectStore,
  { id, args, result }: NewCall,
): Promise<readonly StoredVersion[]> {
  const { items } = await store.find({
    where: { type: "toolcall", provider_id: id, args_display: argsDisplay(result.toolName, args) },
    newestFirst: true,
    limit: mostCandidates,
  });
  const found = await store.getMany(items.map(({ body }) => body.id));
  return found.flatMap((one) => one ?? []);
}

interface PlacedCall extends Omit<NewCall, "result"> {
  readonly call: ToolCallBlock;
  readonly result: ToolResultMessage | undefined;
}

function hasResult(call: PlacedCall): call is PlacedCall & NewCall {
  return call.result !== undefined;
}

/** Returns the calls of messages with the result of each. `spoken`: the number of prompts and answers before them. */
function callsIn(
  messages: readonly Message[],
  { ids, calls: answered }: PairedCalls,
  spoken: number,
): readonly PlacedCall[] {
  const calls: PlacedCall[] = [];
  const places = new Map<string, number>();
  let spokenBefore = spoken;
  for (const message of messages) {
    if (message.role === "toolResult") {
      const at = places.get(answered.get(message) ?? "");
      const call = at === undefined ? undefined : calls[at];
      if (at !== undefined && call?.result === undefined && call !== undefined)
        calls[at] = { ...call, result: message };
    } else if (message.role === "assistant") {
      for (const [index, call] of message.content.filter(isToolCall).entries()) {
        places.set(ids.get(call) ?? call.id, calls.length);
        const args = argumentsOf(call.arguments);
        calls.push({ call, id: call.id, args, result: undefined, spokenBefore, index });
      }
    }
    if (isSpoken(message)) spokenBefore += 1;
  }
  return calls;
}

function isTaken(owner: Owner | undefined): boolean {
  return owner !== undefined && (owner.object !== undefined || owner.isNickname);
}

/**
 * Gives a new id to calls that were ingested before their results, if another session has since stored its own object
 * under the provider id (decision D31). Shared objects are added to `known`.
 */
export async function moveTakenCalls(
  scope: SessionScope,
  { paired, known, fileRendering: rendering }: ArrivingCalls,
): Promise<void> {
  const { state, dependencies } = scope;
  const waiting = [...paired.calls].flatMap(([result, id]) => {
    const call = state.chat.openCalls.get(id);
    return call === undefined ? [] : [{ id, call, result }];
  });
  const owners = await ownersOf(
    dependencies.store,
    waiting.map(({ call }) => call.objectId),
  );
  const taken = waiting.flatMap(({ id, call, result }): readonly TakenCall[] => {
    if (owners.get(call.objectId)?.object === undefined) return [];
    const { position, args } = call;
    const spokenBefore = spokenLength(upTo(state.chat.turns, positionBefore(position)));
    return [{ id: call.hostId, sentId: id, args, result, spokenBefore, index: position.call }];
  });
  const shared = await sharedCalls(scope, {
    calls: taken,
    candidates: ({ sentId }) => {
      const owner = owners.get(state.chat.openCalls.get(sentId)?.objectId ?? "")?.object;
      return owner === undefined ? [] : [owner];
    },
    spoken: () => spokenIn(state.chat.turns),
    rendering,
  });
  const sharedIds = new Set<string>();
  for (const [{ sentId }, stored] of shared) {
    if (stored.body.id !== state.chat.openCalls.get(sentId)?.objectId) continue;
    known.set(stored.body.id, stored);
    sharedIds.add(stored.body.id);
  }
  for (const { id, call } of waiting) {
    if (sharedIds.has(call.objectId) || !isTaken(owners.get(call.objectId))) continue;
    state.chat.moveCall(id, dependencies.ids.next());
  }
}

/** A call that was ingested before its result, with the id under which it is sent. */
interface TakenCall extends NewCall {
  readonly sentId: string;
}

/**
 * The owner of an id: an object with this id, or another object with it as its nickname. A new object cannot have the
 * nickname of another as its id.
 */
interface Owner {
  readonly object: StoredVersion | undefined;
  readonly isNickname: boolean;
}

/** Returns the owners of ids. All are requested at once, because each request is a round trip to the database. */
async function ownersOf(
  store: ObjectStore,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<string, Owner>> {
  if (ids.length === 0) return new Map();
  const [objects, named] = await Promise.all([
    store.getMany(ids),
    Promise.all(ids.map(async (id) => await store.lookup(id))),
  ]);
  return new Map(
    ids.map((id, index) => [
      id,
      { object: objects[index], isNickname: named[index] !== undefined },
    ]),
  );
}
