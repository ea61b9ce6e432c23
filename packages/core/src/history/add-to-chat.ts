import { defined, type ObjectId } from "@self-context-manager/objects";
import {
  argumentsOf,
  type AssistantMessage,
  isToolCall,
  type Message,
  type ToolCallBlock,
} from "../chat/message.ts";
import { type AssistantStep, sentIdsOf, type TurnPosition } from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import { noteNamedFiles } from "../state/note-use.ts";
import { freeSummarised } from "../state/free-replaced.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import { setActive } from "../state/set-active.ts";
import type { PairedCalls } from "./paired-calls.ts";
import { userObjects } from "./user-objects.ts";
import type { WaitingResult } from "./stage-toolcalls.ts";

/** A decoded message that the session does not know. */
export interface NewMessage {
  /** Its index in the host's list. */
  readonly index: number;
  readonly identity: MessageIdentity;
  /** Its key among the known messages. */
  readonly key: string;
  readonly message: Message;
}

/** The calls and results of new messages. */
export interface NewCalls {
  /** The object of each new call. */
  readonly objectIds: ReadonlyMap<ToolCallBlock, ObjectId>;
  readonly paired: PairedCalls;
  /** The number of messages at the beginning of the list that replace that of the chat. Default: 0. */
  readonly begun?: number;
}

/**
 * Adds the unseen messages to the chat. Returns the tool results, because their objects need the chat's version first.
 */
export function addToChat(
  scope: SessionScope,
  unseen: readonly NewMessage[],
  { objectIds, paired, begun = 0 }: NewCalls,
  keptAfter: (index: number) => TurnPosition | undefined,
): readonly WaitingResult[] {
  const { state } = scope;
  const waiting: WaitingResult[] = [];
  for (const one of unseen) {
    const { message } = one;
    if (one.index < begun) {
      know(scope, one, undefined);
    } else if (message.role === "toolResult") {
      const id = paired.calls.get(message);
      const call = id === undefined ? undefined : state.chat.openCalls.get(id);
      const answered = call === undefined ? answeredCall(state, id) : undefined;
      if (answered !== undefined) {
        // A call has one result. Of several reports, the first one stays, as with any message that is sent again.
        know(scope, one, answered);
        continue;
      }
      if (call !== undefined && id !== undefined) state.chat.closeCall(id);
      const waits = {
        result: message,
        objectId: call?.objectId ?? scope.dependencies.ids.next(),
        ...defined({ key: one.identity.key, call }),
      };
      waiting.push(waits);
      know(scope, one, call?.position ?? state.chat.end());
    } else if (message.role === "summary") {
      if (!message.isFromManager) setCompaction(scope, message, one.identity, keptAfter(one.index));
      know(scope, one, undefined);
    } else {
      appendMessage(scope, one, { objectIds, paired });
      know(scope, one, state.chat.end());
      if (message.role === "assistant") {
        openCalls(scope, message, { objectIds, paired });
        for (const call of message.content.filter(isToolCall))
          noteNamedFiles(scope, call.name, argumentsOf(call.arguments));
      }
    }
  }
  return waiting;
}

/** Returns the place of the call that is sent with an id; undefined if the chat has none. */
function answeredCall({ chat }: SessionState, id: string | undefined): TurnPosition | undefined {
  if (id === undefined) return undefined;
  for (let turn = chat.turns.length - 1; turn >= 0; turn -= 1) {
    const step = chat.turns[turn]?.steps.findLastIndex((one) => sentIdsOf(one).includes(id));
    if (step !== undefined && step !== -1) return { turn, step };
  }
  return undefined;
}

function appendMessage(
  scope: SessionScope,
  one: NewMessage,
  { objectIds, paired }: NewCalls,
): void {
  const { state } = scope;
  const { message, identity } = one;
  const key = defined({ key: identity.key });
  const { chat } = state;
  if (message.role === "user") {
    const objects = userObjects(scope, message.content);
    chat.addTurn({
      user: message.content,
      ...(objects.length === 0 ? {} : { user_objects: objects }),
      ...defined({ user_meta: message.meta }),
      timestamp: message.timestamp ?? null,
      steps: [],
      ...key,
    });
    // A text that the user says again is used again. New ones are not in the pool yet.
    for (const { id } of objects)
      if (state.pool.has(id)) setActive(state, id, undefined, { isAsked: false });
  } else if (message.role === "assistant") {
    const time = defined({ timestamp: message.timestamp });
    const calls = message.content.filter(isToolCall);
    const ids = calls.map((call) => objectIds.get(call) ?? scope.dependencies.ids.next());
    const sent = calls.map((call) => paired.ids.get(call) ?? call.id);
    chat.addStep({
      assistant: message.content,
      toolcall_ids: ids,
      ...(calls.some(({ id }, index) => id !== sent[index]) ? { call_ids: sent } : {}),
      assistant_meta: { ...message.meta, ...time },
      ...(message.isFailed === true ? { failed: true } : {}),
      ...answeredView(scope),
      ...key,
    });
  } else if (message.role === "opaque") {
    chat.addStep({
      opaque: message.raw,
      kind: message.kind,
      timestamp: message.timestamp ?? null,
      ...key,
    });
  }
}

/** Returns the fields that connect an answer with its view and payload. Each view has one answer. */
function answeredView({ state }: SessionScope): Pick<AssistantStep, "view" | "payload_hash"> {
  const view = state.sent.answer();
  if (view === undefined) return {};
  const { call, payloadHash } = view;
  return { view: call, ...defined({ payload_hash: payloadHash }) };
}

function openCalls(
  scope: SessionScope,
  message: AssistantMessage,
  { objectIds, paired }: NewCalls,
): void {
  const position = scope.state.chat.end();
  for (const [call, block] of message.content.filter(isToolCall).entries()) {
    const objectId = objectIds.get(block);
    if (objectId === undefined) continue;
    const args = argumentsOf(block.arguments);
    const hostId = block.id;
    const place = { ...position, call };
    const id = paired.ids.get(block) ?? hostId;
    scope.state.chat.openCall(id, { hostId, objectId, args, position: place });
  }
}

/**
 * Records a summary. It replaces the messages before `from`: all messages except those that the host still sends after
 * it.
 */
function setCompaction(
  scope: SessionScope,
  message: Extract<Message, { role: "summary" }>,
  { key }: MessageIdentity,
  kept: TurnPosition | undefined,
): void {
  const { state } = scope;
  const { kind, raw, timestamp } = message;
  const summary = { role: "opaque" as const, kind, raw, ...defined({ timestamp }) };
  state.chat.summarise([{ message: summary, ...defined({ key }) }], kept);
  freeSummarised(scope);
}

function know(
  { state }: SessionScope,
  { identity, key }: NewMessage,
  position: TurnPosition | undefined,
): void {
  state.chat.know({ identity, key, position });
}
