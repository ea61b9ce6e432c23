import {
  isObjectId,
  metadataVersion,
  type ObjectId,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { argumentsOf, isSameExecution } from "../calls/toolcall-object.ts";
import { withToolcallId } from "../chat/chat-document.ts";
import {
  isToolCall,
  type Message,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../chat/message.ts";
import type { SessionScope } from "../state/session-scope.ts";

/** A message to ingest. */
interface Taken {
  readonly message: Message;
}

/** The objects that the store already has for calls whose results are ingested, by id. */
export type KnownToolcalls = Map<ObjectId, StoredMetadata>;

/**
 * Returns the object id of each new call. It is the provider id if no other object has that id, or if the stored object
 * records the same execution, as after a fork. Otherwise it is a new id, because two executions must not share an
 * object (decision D31). Objects of the same execution are added to `known`.
 */
export async function chooseObjectIds(
  scope: SessionScope,
  unseen: readonly Taken[],
  known: KnownToolcalls,
): Promise<ReadonlyMap<ToolCallBlock, ObjectId>> {
  const calls = unseen.flatMap(({ message }) =>
    message.role === "assistant" ? message.content.filter(isToolCall) : [],
  );
  const results = new Map<string, ToolResultMessage>();
  for (const { message } of unseen)
    if (message.role === "toolResult") results.set(message.toolCallId, message);
  const wanted = [...new Set(calls.map((call) => call.id).filter(isObjectId))];
  const callsById = new Map(calls.map((call) => [call.id, call]));
  const taken = new Map<string, boolean>();
  for (const [id, { object, isNickname }] of await ownersOf(scope.dependencies.store, wanted)) {
    const call = callsById.get(id);
    const result = results.get(id);
    const isShared =
      object !== undefined &&
      call !== undefined &&
      result !== undefined &&
      !scope.state.pool.has(id) &&
      isSameExecution(object.body, { result, args: argumentsOf(call.arguments) });
    if (isShared) known.set(id, metadataVersion(object));
    const isOther = object === undefined ? isNickname : !isShared;
    taken.set(id, scope.state.placedCalls.has(id) || isOther);
  }
  const chosen = new Map<ToolCallBlock, ObjectId>();
  for (const call of calls) {
    const isFree = isObjectId(call.id) && taken.get(call.id) === false;
    taken.set(call.id, true);
    chosen.set(call, isFree && isObjectId(call.id) ? call.id : scope.dependencies.ids.next());
  }
  return chosen;
}

/**
 * Gives a new id to calls that were ingested before their results, if another session has since stored its own object
 * under the provider id (decision D31). Returns whether the chat has changed. Objects of the same execution are added
 * to `known`.
 */
export async function moveTakenCalls(
  scope: SessionScope,
  unseen: readonly Taken[],
  known: KnownToolcalls,
): Promise<boolean> {
  const { state, dependencies } = scope;
  const waiting = new Map<string, ToolResultMessage>();
  for (const { message } of unseen) {
    if (message.role === "toolResult" && state.openCalls.has(message.toolCallId))
      waiting.set(message.toolCallId, message);
  }
  const ids = [...waiting.keys()].flatMap((callId) => state.openCalls.get(callId)?.objectId ?? []);
  const owners = await ownersOf(dependencies.store, ids);
  let hasMoved = false;
  for (const [callId, result] of waiting) {
    const call = state.openCalls.get(callId);
    const owner = call === undefined ? undefined : owners.get(call.objectId);
    if (call === undefined || owner === undefined) continue;
    const { object, isNickname } = owner;
    const isSame =
      object !== undefined && isSameExecution(object.body, { result, args: call.args });
    if (isSame) known.set(call.objectId, metadataVersion(object));
    if (object === undefined ? !isNickname : isSame) continue;
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
): Promise<ReadonlyMap<ObjectId, Owner>> {
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
