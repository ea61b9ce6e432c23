import {
  canonicalJson,
  isReference,
  type JsonObject,
  metadataVersion,
  type ObjectId,
  type Reference,
  type StaticReference,
  type StoredMetadata,
  type StoredVersion,
  sumOfGroups,
  toJson,
} from "@self-context-manager/objects";
import { executionIn, rangeIn } from "../calls/execution.ts";
import { readResult } from "../calls/read-result.ts";
import { usualToolFacts } from "../calls/tool-facts.ts";
import { filesInResult, isSameCall, isSameOutput } from "../calls/toolcall-object.ts";
import { chatState } from "../chat/chat-body.ts";
import {
  type AssistantMessage,
  type Message,
  textOf,
  type ToolResultMessage,
  type UserMessage,
} from "../chat/message.ts";
import { isAssistantStep, isDiscarded, type Step, type Turn } from "../chat/turn.ts";
import { type FileRendering, renderedLines } from "../host/file-rendering.ts";
import type { SessionScope } from "../state/session-scope.ts";

/** A call whose result is ingested, and which another session can have stored. */
export interface NewCall {
  readonly id: string;
  readonly args: JsonObject;
  readonly result: ToolResultMessage;
  /** The number of messages before the call's answer in `SpokenChat`. */
  readonly spokenBefore: number;
  /** The number of calls before it in the same answer. */
  readonly index: number;
}

/** The prompts and the answers of a chat in order, without failed answers, each as a text that shows all of it. */
export type SpokenChat = readonly string[];

export interface SharedCallsInput<Call extends NewCall> {
  /** The calls in their order. */
  readonly calls: readonly Call[];
  /** Returns the objects that can be those of a call. */
  readonly candidates: (call: Call) => readonly StoredVersion[] | Promise<readonly StoredVersion[]>;
  /** Returns the session's chat with these calls. */
  readonly spoken: () => SpokenChat;
  readonly rendering: FileRendering | undefined;
}

/**
 * Returns the stored objects of calls that the store has already: the same execution in the same chat, as after a fork.
 * The call, its output and all that was said before it are equal. Providers and agents count their ids from 0 in each
 * chat, so an equal id, call and time say nothing about the output (decision D31).
 */
export async function sharedCalls<Call extends NewCall>(
  scope: SessionScope,
  { calls, candidates, spoken, rendering }: SharedCallsInput<Call>,
): Promise<ReadonlyMap<Call, StoredMetadata>> {
  const shared = new Map<Call, StoredMetadata>();
  const chats = new Map<string, OtherChat | undefined>();
  const isOf = async (call: Call, object: StoredVersion): Promise<boolean> =>
    isSameCall(object.body, call) && (await isSameResult(scope, object, call, rendering));
  let own: SpokenChat | undefined;
  for (const [at, call] of [...calls.entries()].toReversed()) {
    if (shared.has(call)) continue;
    for (const object of await candidates(call)) {
      if (!(await isOf(call, object))) continue;
      const reference = object.body["chat_ref"];
      if (!isReference(reference)) continue;
      const name = `${reference.id} ${reference.ref === "static" ? reference.tx_id : ""}`;
      if (!chats.has(name)) {
        if (chats.size === mostChats) return shared;
        chats.set(name, await loadChat(scope, reference));
      }
      const other = chats.get(name);
      own ??= spoken();
      const place = other?.places.get(object.body.id);
      if (other === undefined || place === undefined || !continues(other, own, call, place))
        continue;
      shared.set(call, metadataVersion(object));
      // The other chat has the earlier calls at the same places.
      const earlier = calls.slice(0, at).flatMap((one) => {
        const spokenBefore = one.spokenBefore - call.spokenBefore + place.spokenBefore;
        const id = other.ids.get(placeName({ spokenBefore, index: one.index }));
        return id === undefined || shared.has(one) ? [] : [{ one, id }];
      });
      const objects = await scope.dependencies.store.getMany(earlier.map(({ id }) => id));
      for (const [index, { one }] of earlier.entries()) {
        const found = objects[index];
        if (found !== undefined && (await isOf(one, found)))
          shared.set(one, metadataVersion(found));
      }
      break;
    }
  }
  return shared;
}

/**
 * Number of other chats that are read. A chat can be long, and agents that count their ids from 0 make the same calls in
 * many chats. Without a match the calls get objects of their own.
 */
const mostChats = 8;

type CallPlace = Pick<NewCall, "spokenBefore" | "index">;

/** A version of the chat in which a stored call was made. */
interface OtherChat {
  readonly spoken: SpokenChat;
  /** The places of calls by the ids of their objects, and the other way round. */
  readonly places: ReadonlyMap<ObjectId, CallPlace>;
  readonly ids: ReadonlyMap<string, ObjectId>;
}

function placeName({ spokenBefore, index }: CallPlace): string {
  return `${spokenBefore} ${index}`;
}

async function loadChat(
  { dependencies, state }: SessionScope,
  reference: Reference,
): Promise<OtherChat | undefined> {
  const asOf = reference.ref === "static" ? { txId: reference.tx_id } : undefined;
  const stored = await dependencies.store.get(reference.id, asOf);
  if (stored?.body.type !== "chat") return undefined;
  const { turns } = chatState(stored.body, state.hostSessionId);
  const places = new Map<ObjectId, CallPlace>();
  const ids = new Map<string, ObjectId>();
  let spokenBefore = 0;
  for (const turn of turns) {
    if (turn.user !== null) spokenBefore += 1;
    for (const step of turn.steps) {
      if (!isAssistantStep(step)) continue;
      for (const [index, id] of step.toolcall_ids.entries()) {
        places.set(id, { spokenBefore, index });
        ids.set(placeName({ spokenBefore, index }), id);
      }
      if (!isDiscarded(step)) spokenBefore += 1;
    }
  }
  return { spoken: spokenIn(turns), places, ids };
}

/** Whether the other chat has the same messages up to the answer of a call. A fork can lack the oldest ones. */
function continues(
  { spoken: other }: OtherChat,
  own: SpokenChat,
  { spokenBefore }: NewCall,
  { spokenBefore: end }: CallPlace,
): boolean {
  if (end < spokenBefore) return false;
  for (let back = 0; back <= spokenBefore; back += 1)
    if (own[spokenBefore - back] !== other[end - back]) return false;
  return true;
}

/** Whether a result is what a stored call returned. For a file that was read, the store has the file's version. */
async function isSameResult(
  { dependencies: { store, toolFacts = usualToolFacts } }: SessionScope,
  { body }: StoredVersion,
  { args, result }: NewCall,
  rendering: FileRendering | undefined,
): Promise<boolean> {
  if (isSameOutput(body, result)) return true;
  const report = executionIn(result, toolFacts)?.report;
  if (report !== undefined && body["context_tool"] === true)
    return report === body.content && result.isError === body["is_error"];
  const [file, another] = filesInResult(body).filter(
    (reference): reference is StaticReference => reference.ref === "static",
  );
  if (file === undefined || another !== undefined) return false;
  const stored = await store.get(file.id, { txId: file.tx_id });
  const text = stored?.body.content;
  if (typeof text !== "string") return false;
  const returned = textOf(result.content);
  return (
    returned === readResult(text, rangeIn(body["target_range"]), body.content ?? "") ||
    renderedLines(returned, text, args, rendering) !== undefined
  );
}

/** Returns the number of prompts and answers in turns. */
export function spokenLength(turns: readonly Turn[]): number {
  return sumOfGroups(turns, spokenTurns, ({ user, steps }) => {
    const answers = sumOfGroups(steps, spokenSteps, (step) =>
      isAssistantStep(step) && !isDiscarded(step) ? 1 : 0,
    );
    return (user === null ? 0 : 1) + answers;
  });
}

const spokenTurns = new WeakMap<readonly Turn[], number>();
const spokenSteps = new WeakMap<readonly Step[], number>();

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
  return messages
    .filter(isSpoken)
    .map(({ role, content, timestamp = null }) => spokenText(role, content, timestamp));
}

/** Whether a message is a prompt, or an answer that did not fail. */
export function isSpoken(message: Message): message is UserMessage | AssistantMessage {
  return message.role === "user" || (message.role === "assistant" && message.isFailed !== true);
}

function spokenText(role: string, content: unknown, timestamp: number | null): string {
  return canonicalJson(toJson({ role, content, timestamp }));
}
