import {
  isObjectId,
  type ObjectId,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { argumentsOf } from "../calls/toolcall-object.ts";
import { upTo, withToolcallId } from "../chat/chat-document.ts";
import {
  isToolCall,
  type Message,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../chat/message.ts";
import { positionBefore } from "../chat/turn.ts";
import type { FileRendering } from "../host/file-rendering.ts";
import type { SessionScope } from "../state/session-scope.ts";
import {
  spokenLength,
  sharedCalls,
  type SpokenChat,
  spokenIn,
  spokenMessages,
  type TakenCall,
} from "./shared-calls.ts";

/** A message to ingest. */
interface Taken {
  readonly message: Message;
}

/** The objects that the store already has for calls whose results are ingested, by id. */
export type KnownToolcalls = Map<ObjectId, StoredMetadata>;

/**
 * Returns the object id of each new call. It is the provider id if no other object has that id, or if the stored object
 * records the same execution in the same chat, as after a fork. Otherwise it is a new id, because two executions must not
 * share an object (decision D31). Shared objects are added to `known`.
 */
export async function chooseObjectIds(
  scope: SessionScope,
  unseen: readonly Taken[],
  known: KnownToolcalls,
  rendering: FileRendering | undefined,
): Promise<ReadonlyMap<ToolCallBlock, ObjectId>> {
  const { state, dependencies } = scope;
  const messages = unseen.map(({ message }) => message);
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter(isToolCall) : [],
  );
  const results = resultsIn(messages);
  const wanted = [...new Set(calls.map((call) => call.id).filter(isObjectId))];
  const owners = await ownersOf(dependencies.store, wanted);
  const stored = new Map<ToolCallBlock, TakenCall>();
  let spokenBefore = spokenLength(state.chat.turns);
  const first = new Map(calls.toReversed().map((call) => [call.id, call]));
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of message.content.filter(isToolCall)) {
        const object = owners.get(call.id)?.object;
        const result = results.get(call.id);
        if (object === undefined || result === undefined || first.get(call.id) !== call) continue;
        if (state.pool.has(object.body.id)) continue;
        stored.set(call, { object, args: argumentsOf(call.arguments), result, spokenBefore });
      }
    }
    spokenBefore += spokenMessages([message]).length;
  }
  const spoken = (): SpokenChat => [...spokenIn(state.chat.turns), ...spokenMessages(messages)];
  const shared = await sharedCalls(scope, [...stored.values()], spoken, rendering);
  for (const [id, object] of shared) known.set(id, object);
  const taken = new Set<string>();
  const chosen = new Map<ToolCallBlock, ObjectId>();
  for (const call of calls) {
    const { id } = call;
    const wasSeen = taken.has(id);
    taken.add(id);
    const isFree = isObjectId(id) && !wasSeen && !state.placedCalls.has(id);
    const isOther = isFree && !shared.has(id) && isTaken(owners.get(id));
    chosen.set(call, isFree && !isOther ? id : dependencies.ids.next());
  }
  return chosen;
}

function isTaken(owner: Owner | undefined): boolean {
  return owner !== undefined && (owner.object !== undefined || owner.isNickname);
}

function resultsIn(messages: readonly Message[]): ReadonlyMap<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (const message of messages) {
    const isFirst = message.role === "toolResult" && !results.has(message.toolCallId);
    if (isFirst) results.set(message.toolCallId, message);
  }
  return results;
}

/**
 * Gives a new id to calls that were ingested before their results, if another session has since stored its own object
 * under the provider id (decision D31). Returns whether the chat has changed. Shared objects are added to `known`.
 */
export async function moveTakenCalls(
  scope: SessionScope,
  unseen: readonly Taken[],
  known: KnownToolcalls,
  rendering: FileRendering | undefined,
): Promise<boolean> {
  const { state, dependencies } = scope;
  const waiting = [...resultsIn(unseen.map(({ message }) => message))].flatMap(
    ([callId, result]) => {
      const call = state.openCalls.get(callId);
      return call === undefined ? [] : [{ callId, call, result }];
    },
  );
  const owners = await ownersOf(
    dependencies.store,
    waiting.map(({ call }) => call.objectId),
  );
  const taken = waiting.flatMap(({ call, result }): readonly TakenCall[] => {
    const object = owners.get(call.objectId)?.object;
    if (object === undefined) return [];
    const spokenBefore = spokenLength(upTo(state.chat.turns, positionBefore(call.position)));
    return [{ object, args: call.args, result, spokenBefore }];
  });
  const shared = await sharedCalls(scope, taken, () => spokenIn(state.chat.turns), rendering);
  for (const [id, object] of shared) known.set(id, object);
  let hasMoved = false;
  for (const { callId, call } of waiting) {
    if (shared.has(call.objectId) || !isTaken(owners.get(call.objectId))) continue;
    const objectId = dependencies.ids.next();
    const turns = withToolcallId(state.chat.turns, call.position, objectId);
    state.chat = { ...state.chat, turns };
    state.placedCalls.delete(call.objectId);
    state.placedCalls.add(objectId);
    state.openCalls.set(callId, { ...call, objectId });
    hasMoved = true;
  }
  return hasMoved;
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
