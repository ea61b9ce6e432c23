import { withToolcallId } from "../chat/chat-document.ts";
import {
  isToolCall,
  type Message,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../chat/message.ts";
import { isObjectId, type ObjectId } from "../objects/object-id.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { SessionScope } from "../session/session-scope.ts";
import { argumentsOf, isSameExecution } from "./toolcall-object.ts";

/** A message that is about to be taken in. */
interface Taken {
  readonly message: Message;
}

/**
 * The object of each new call: the provider's id where no other object has it or the same execution is told again, as
 * a fork does; else a new id (decision D31).
 */
export async function chooseObjectIds(
  scope: SessionScope,
  unseen: readonly Taken[],
): Promise<ReadonlyMap<ToolCallBlock, ObjectId>> {
  const calls = unseen.flatMap(({ message }) =>
    message.role === "assistant" ? message.content.filter(isToolCall) : [],
  );
  const results = new Map<string, ToolResultMessage>();
  for (const { message } of unseen)
    if (message.role === "toolResult") results.set(message.toolCallId, message);
  const { store } = scope.dependencies;
  const wanted = [...new Set(calls.map((call) => call.id).filter(isObjectId))];
  const callsById = new Map(calls.map((call) => [call.id, call]));
  const taken = new Map<string, boolean>();
  const stored = wanted.length === 0 ? [] : await store.getMany(wanted);
  for (const [index, id] of wanted.entries()) {
    const object = stored[index];
    const call = callsById.get(id);
    const result = results.get(id);
    const isShared =
      object !== undefined &&
      call !== undefined &&
      result !== undefined &&
      !scope.state.pool.has(id) &&
      isSameExecution(object.body, { result, args: argumentsOf(call.arguments) });
    const isOther = object === undefined ? await isNicknameOf(store, id) : !isShared;
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
 * Gives calls that were told before their results an id of their own, where another session has stored its object
 * under the provider's meanwhile (decision D31). Answers whether the chat has changed.
 */
export async function moveTakenCalls(
  scope: SessionScope,
  unseen: readonly Taken[],
): Promise<boolean> {
  const { state, dependencies } = scope;
  const waiting = new Map<string, ToolResultMessage>();
  for (const { message } of unseen) {
    if (message.role === "toolResult" && state.openCalls.has(message.toolCallId))
      waiting.set(message.toolCallId, message);
  }
  let hasMoved = false;
  for (const [callId, result] of waiting) {
    const call = state.openCalls.get(callId);
    const there = call === undefined ? undefined : await dependencies.store.get(call.objectId);
    if (call === undefined) continue;
    const isTaken =
      there === undefined
        ? await isNicknameOf(dependencies.store, call.objectId)
        : !isSameExecution(there.body, { result, args: call.args });
    if (!isTaken) continue;
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

/** An object cannot have another's nickname for an id. */
async function isNicknameOf(store: ObjectStore, id: ObjectId): Promise<boolean> {
  return (await store.lookup(id)) !== undefined;
}
