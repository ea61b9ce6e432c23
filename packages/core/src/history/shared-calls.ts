import {
  canonicalJson,
  isReference,
  type JsonObject,
  metadataVersion,
  type ObjectId,
  type StaticReference,
  type StoredMetadata,
  type StoredVersion,
  toJson,
} from "@self-context-manager/objects";
import { fileReferences, isSameCall, isSameOutput } from "../calls/toolcall-object.ts";
import { chatState } from "../chat/chat-document.ts";
import { type Message, textOf, type ToolResultMessage } from "../chat/message.ts";
import { isAssistantStep, isDiscarded, isDiscardedAnswer, type Turn } from "../chat/turn.ts";
import { type FileRendering, renderedLines } from "../host/file-rendering.ts";
import type { SessionScope } from "../state/session-scope.ts";

/** A new call whose id an object of the store has already. */
export interface TakenCall {
  readonly object: StoredVersion;
  readonly args: JsonObject;
  readonly result: ToolResultMessage;
  /** The number of messages before the call's answer in `SpokenChat`. */
  readonly spokenBefore: number;
}

/** The prompts and the answers of a chat in order, without failed answers, each as a text that shows all of it. */
export type SpokenChat = readonly string[];

/**
 * Returns those of the taken calls that the store has already: the same execution in the same chat, as after a fork. The
 * call, its output and all that was said before it are equal. Providers and agents count their ids from 0 in each chat,
 * so an equal id, call and time say nothing about the output (decision D31).
 */
export async function sharedCalls(
  scope: SessionScope,
  taken: readonly TakenCall[],
  spoken: () => SpokenChat,
  rendering: FileRendering | undefined,
): Promise<ReadonlyMap<ObjectId, StoredMetadata>> {
  const shared = new Map<ObjectId, StoredMetadata>();
  const chats: OtherChat[] = [];
  let own: SpokenChat | undefined;
  // A version of the other chat that has the last call of a fork also has those before it.
  for (const one of taken.toReversed()) {
    const { object, args, result } = one;
    if (!isSameCall(object.body, { args, result })) continue;
    if (!(await isSameResult(scope, one, rendering))) continue;
    const chat = chats.find((known) => known.places.has(object.body.id));
    const other = chat ?? (await loadChat(scope, object));
    if (other === undefined) continue;
    if (chat === undefined) chats.push(other);
    own ??= spoken();
    if (continues(other, own, one)) shared.set(object.body.id, metadataVersion(object));
  }
  return shared;
}

/** A version of the chat in which a stored call was made. */
interface OtherChat {
  readonly spoken: SpokenChat;
  /** By the id of a call's object, the number of messages before the call's answer. */
  readonly places: ReadonlyMap<ObjectId, number>;
}

async function loadChat(
  { dependencies, state }: SessionScope,
  { body }: StoredVersion,
): Promise<OtherChat | undefined> {
  const reference = body["chat_ref"];
  if (!isReference(reference)) return undefined;
  const asOf = reference.ref === "static" ? { txId: reference.tx_id } : undefined;
  const stored = await dependencies.store.get(reference.id, asOf);
  if (stored?.body.type !== "chat") return undefined;
  const { turns } = chatState(stored.body, state.hostSessionId);
  const places = new Map<ObjectId, number>();
  let count = 0;
  for (const turn of turns) {
    if (turn.user !== null) count += 1;
    for (const step of turn.steps) {
      if (!isAssistantStep(step)) continue;
      for (const id of step.toolcall_ids) places.set(id, count);
      if (!isDiscarded(step)) count += 1;
    }
  }
  return { spoken: spokenIn(turns), places };
}

/** Whether the other chat has the same messages up to the answer of a call. A fork can lack the oldest ones. */
function continues(
  { spoken: other, places }: OtherChat,
  own: SpokenChat,
  { object, spokenBefore }: TakenCall,
): boolean {
  const end = places.get(object.body.id);
  if (end === undefined || end < spokenBefore) return false;
  for (let back = 0; back <= spokenBefore; back += 1)
    if (own[spokenBefore - back] !== other[end - back]) return false;
  return true;
}

/** Whether a result is what a stored call returned. For a file that was read, the store has the file's version. */
async function isSameResult(
  { dependencies: { store } }: SessionScope,
  { object: { body }, args, result }: TakenCall,
  rendering: FileRendering | undefined,
): Promise<boolean> {
  if (isSameOutput(body, result)) return true;
  if (body["context_tool"] !== true) return false;
  const [file, other] = fileReferences(body).filter(
    (reference): reference is StaticReference => reference.ref === "static",
  );
  if (file === undefined || other !== undefined) return false;
  const stored = await store.get(file.id, { txId: file.tx_id });
  const text = stored?.body.content;
  return (
    typeof text === "string" &&
    renderedLines(textOf(result.content), text, args, rendering) !== undefined
  );
}

/** Returns the number of prompts and answers in turns. */
export function spokenLength(turns: readonly Turn[]): number {
  return turns.reduce((sum, { user, steps }) => {
    const answers = steps.filter((step) => isAssistantStep(step) && !isDiscarded(step));
    return sum + (user === null ? 0 : 1) + answers.length;
  }, 0);
}

/** Returns the prompts and answers of turns. */
export function spokenIn(turns: readonly Turn[]): SpokenChat {
  return turns.flatMap(({ user, timestamp, steps }) => [
    ...(user === null ? [] : [spokenText("user", user, timestamp)]),
    ...steps.flatMap((step) => {
      if (!isAssistantStep(step) || isDiscarded(step)) return [];
      const { timestamp: time } = step.assistant_meta;
      return [spokenText("assistant", step.assistant, typeof time === "number" ? time : null)];
    }),
  ]);
}

/** Returns the prompts and answers of a host's messages. */
export function spokenMessages(messages: readonly Message[]): SpokenChat {
  return messages.flatMap((message) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    if (message.role === "assistant" && isDiscardedAnswer(message.meta)) return [];
    return [spokenText(message.role, message.content, message.timestamp ?? null)];
  });
}

function spokenText(role: string, content: unknown, timestamp: number | null): string {
  return canonicalJson(toJson({ role, content, timestamp }));
}
