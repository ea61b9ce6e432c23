import {
  canonicalJson,
  metadataVersion,
  type ObjectId,
  sealObject,
  type StoredVersion,
  toJson,
} from "@self-context-manager/objects";
import type { Execution } from "../calls/execution.ts";
import { argumentsOf } from "../calls/toolcall-object.ts";
import { type Compaction, withStep, withTurn } from "../chat/chat-document.ts";
import {
  type AssistantMessage,
  isToolCall,
  type Message,
  type ToolCallBlock,
} from "../chat/message.ts";
import { type AssistantStep, callsOf, isAfter, type TurnPosition } from "../chat/turn.ts";
import type { MessageCodec, MessageIdentity } from "../host/message-codec.ts";
import { identify, keyName, type KnownMessage } from "../host/message-identity.ts";
import { applyPolicy } from "../state/apply-policy.ts";
import { freeReplaced } from "../state/free-replaced.ts";
import {
  commitObjects,
  commitSession,
  joinPool,
  sealableChat,
  type SessionScope,
} from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import { noteNamedFiles } from "../state/use-order.ts";
import { isNamed } from "./known-keys.ts";
import { knownMessages } from "./known-messages.ts";
import { type ManagerSummary, skipForeignHandles } from "./foreign-handles.ts";
import { recognizeReads } from "./recognize-reads.ts";
import { reconcile, type Reconciliation, type UnseenMessage } from "./reconcile.ts";
import { returnBehindSummary, returnTo, returnToAnother, rewindTo } from "./rewind.ts";
import { stageToolcalls, type WaitingResult, type WaitingResults } from "./stage-toolcalls.ts";
import { chooseObjectIds, type KnownToolcalls, moveTakenCalls } from "./toolcall-ids.ts";

/** Information that the host gives in addition to its messages. */
export interface HostSignals {
  /** Whether the user went back to an earlier point, in the tree or by a fork. */
  readonly rewound?: boolean;
  /**
   * Returns the summaries by the context manager whose messages the list contains again, and which are not in the list.
   * It is called only while the session knows no message.
   */
  readonly summaries?: () => readonly ManagerSummary[];
}

/** The result of an ingest. */
export interface IngestReport {
  readonly type: "appended" | "replaced" | "rewound";
  /** The number of new messages. */
  readonly added: number;
  /** The usage that the first new assistant message reports. That message is the answer to the last sent view. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Whether the session is new to this store, and its history certainly began on another store. */
  readonly isFromOtherStore?: boolean;
}

interface Unseen extends UnseenMessage {
  readonly message: Message;
}

/**
 * Ingests a host's messages. Messages are recognised by their keys, so only new ones are decoded and stored. `learn`
 * receives the report before the session is stored. The caller commits the session; the writes that belong to it are
 * staged.
 */
export async function ingestMessages<Raw>(
  scope: SessionScope,
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  executions: Map<string, Execution>,
  { learn, ...signals }: HostSignals & { readonly learn?: (report: IngestReport) => void } = {},
): Promise<IngestReport> {
  const { state } = scope;
  const identities = messages.map((raw) => identify(raw, codec));
  const compare = (isRewound: boolean): Reconciliation =>
    reconcile({
      messages,
      codec,
      identities,
      ...knownMessages(state),
      end: endOfChat(scope),
      isOtherPrompt: ({ position }, raw) => isOtherPrompt(scope, position, decode(raw, codec)),
      rewound: isRewound,
    });
  const result = compare(signals.rewound === true);
  const isRewound = await followHost(scope, result, signals, identities);
  const news = isRewound ? compare(false) : result;
  const unseen = news.unseen.map((one) => ({
    ...one,
    message: decode(messages[one.index] as Raw, codec),
  }));
  const toolcalls: KnownToolcalls = new Map();
  const objectIds = await chooseObjectIds(scope, unseen, toolcalls, codec.fileRendering);
  const isFromOtherStore =
    state.known.size === 0 &&
    (await skipForeignHandles(scope, {
      messages: unseen.map(({ message }) => message),
      summaries: signals.summaries?.() ?? [],
      known: toolcalls,
    }));
  const hasMoved = await moveTakenCalls(scope, unseen, toolcalls, codec.fileRendering);
  const recognized = await recognizeReads(
    scope,
    unseen.map(({ message }) => message),
    executions,
    codec.fileRendering,
  );
  const keptAfter = (index: number): TurnPosition | undefined =>
    state.known.get(news.keys()[index + 1] ?? "")?.position;
  if (unseen.some(({ message }) => message.role === "assistant")) noteAnswer(state);
  const waiting = addToChat(scope, unseen, objectIds, keptAfter);
  const chatChanged = isRewound || hasMoved || unseen.some(({ message }) => changesChat(message));
  const usage = firstUsage(unseen);
  const report: IngestReport = {
    type: isRewound ? "rewound" : result.type,
    added: unseen.length,
    ...(usage === undefined ? {} : { usage }),
    ...(isFromOtherStore ? { isFromOtherStore } : {}),
  };
  learn?.(report);
  await stage(
    scope,
    { chatChanged, isRewound },
    { waiting, known: toolcalls, executions, recognized },
  );
  const isPast =
    (result.type === "appended" && !isRewound) || (result.type === "replaced" && result.isShorter);
  if (!isPast) state.sequence = sequenceOf(state, identities, news.keys());
  return report;
}

/** Records that the model has answered, so it has seen all results that arrived before. */
function noteAnswer({ unsent }: SessionState): void {
  for (const [id, why] of unsent) if (why === "arrived") unsent.delete(id);
}

/** Moves the session to the point that the host's list continues. Returns whether it was moved. */
async function followHost(
  scope: SessionScope,
  result: Reconciliation,
  { rewound }: HostSignals,
  identities: readonly MessageIdentity[],
): Promise<boolean> {
  if (result.type === "replaced") {
    if (await returnToAnother(scope, identities, rewound === true)) return true;
    return rewound === true && (await returnBehindSummary(scope, identities));
  }
  if (result.type === "appended") return rewound === true && (await returnTo(scope, identities));
  const { known } = scope.state;
  const before = identities.every(isNamed) ? [] : result.keys().map((key) => known.get(key));
  await rewindTo(scope, result.to, identities.slice(0, result.newFrom));
  keepOrder(scope.state, before);
  return true;
}

/**
 * Keeps the order of a host's list after the chat was cut where the list ends. `before`: what each message of the list was
 * until then. Messages without ids and times are recognised by their order.
 */
function keepOrder(state: SessionState, before: readonly (KnownMessage | undefined)[]): void {
  const placed = new Map([...state.known.values()].map((one) => [placedName(one), one]));
  const sequence: KnownMessage[] = [];
  for (const one of before) {
    const now = one === undefined ? undefined : placed.get(placedName(one));
    if (now === undefined) break;
    sequence.push(now);
  }
  if (sequence.length > 0) state.sequence = sequence;
}

function placedName({ identity, position }: KnownMessage): string {
  return `${position?.turn} ${position?.step} ${keyName(identity)}`;
}

/** Stages the writes of the session's next commit. A chat that tool results refer to is stored first. */
async function stage(
  scope: SessionScope,
  { chatChanged, isRewound }: { readonly chatChanged: boolean; readonly isRewound: boolean },
  results: WaitingResults,
): Promise<void> {
  const hasResults = results.waiting.length > 0;
  // The same list again is a repeated request or a resume, and gets the same view.
  if (chatChanged && !hasResults) applyPolicy(scope);
  // The view shows lines of the newest chat version.
  const isShown = scope.state.pool.has(scope.state.chat.id);
  if (chatChanged && (hasResults || isShown)) {
    // A rewound chat and its sets must be stored in one commit: the stored sets still belong to the abandoned branch.
    const commit = isRewound || !hasResults ? commitSession : commitObjects;
    const isFollowed = results.waiting.some(({ objectId }) => !results.known.has(objectId));
    const [chat] = await commit(scope, [sealableChat(scope)], { isFollowed });
    if (chat !== undefined) keepChat(scope, chat);
  } else if (chatChanged) stageChat(scope);
  if (hasResults) await stageToolcalls(scope, results);
}

function stageChat(scope: SessionScope): void {
  const { body, expect } = sealableChat(scope);
  scope.staged.push({
    writes: [{ object: sealObject(body), expect }],
    settle: ([chat]) => {
      if (chat !== undefined) keepChat(scope, chat);
    },
  });
}

/**
 * Keeps the stored chat as the latest version. Shown lines of the chat are taken from this version, as after a resume.
 */
function keepChat({ state, contents }: SessionScope, chat: StoredVersion): void {
  state.chatStored = metadataVersion(chat);
  if (!state.pool.has(chat.body.id)) return;
  joinPool(state, state.chatStored);
  if (state.active.has(chat.body.id)) contents.set(chat.body.id, chat);
}

/**
 * Whether a message changes the chat. A tool result has its own object, and a summary by the context manager changes no
 * content of the chat.
 */
function changesChat(message: Message): boolean {
  return message.role === "summary" ? !message.isFromManager : message.role !== "toolResult";
}

function decode<Raw>(raw: Raw, codec: MessageCodec<Raw>): Message {
  return toJson(codec.decode(raw)) as Message;
}

/**
 * Adds the unseen messages to the chat. Returns the tool results, because their objects need the chat's version first.
 */
function addToChat(
  scope: SessionScope,
  unseen: readonly Unseen[],
  objectIds: ReadonlyMap<ToolCallBlock, ObjectId>,
  keptAfter: (index: number) => TurnPosition | undefined,
): readonly WaitingResult[] {
  const { state } = scope;
  const waiting: WaitingResult[] = [];
  for (const one of unseen) {
    const { message } = one;
    if (message.role === "toolResult") {
      const call = state.openCalls.get(message.toolCallId);
      const answered = call === undefined ? answeredCall(state, message.toolCallId) : undefined;
      if (answered !== undefined) {
        // A call has one result. Of several reports, the first one stays, as with any message that is sent again.
        know(scope, one, answered);
        continue;
      }
      if (call !== undefined) state.openCalls.delete(message.toolCallId);
      const waits = {
        result: message,
        objectId: call?.objectId ?? scope.dependencies.ids.next(),
        ...(one.identity.key === undefined ? {} : { key: one.identity.key }),
        ...(call === undefined ? {} : { call }),
      };
      waiting.push(waits);
      know(scope, one, call?.position ?? endOfChat(scope));
    } else if (message.role === "summary") {
      if (!message.isFromManager) setCompaction(scope, message, one.identity, keptAfter(one.index));
      know(scope, one, undefined);
    } else {
      appendMessage(scope, one, objectIds);
      know(scope, one, endOfChat(scope));
      if (message.role === "assistant") {
        openCalls(scope, message, objectIds);
        for (const call of message.content.filter(isToolCall))
          noteNamedFiles(scope, call.name, argumentsOf(call.arguments));
      }
    }
  }
  return waiting;
}

/** Returns the place of the newest call with an id; undefined if the chat has none. */
function answeredCall({ chat }: SessionState, callId: string): TurnPosition | undefined {
  for (let turn = chat.turns.length - 1; turn >= 0; turn -= 1) {
    const step = chat.turns[turn]?.steps.findLastIndex((one) =>
      callsOf(one).some(({ id }) => id === callId),
    );
    if (step !== undefined && step !== -1) return { turn, step };
  }
  return undefined;
}

function appendMessage(
  scope: SessionScope,
  one: Unseen,
  objectIds: ReadonlyMap<ToolCallBlock, ObjectId>,
): void {
  const { state } = scope;
  const { message, identity } = one;
  const key = identity.key === undefined ? {} : { key: identity.key };
  const { chat } = state;
  if (message.role === "user") {
    const turn = { user: message.content, timestamp: message.timestamp ?? null, steps: [], ...key };
    state.chat = { ...chat, turns: withTurn(chat.turns, turn) };
  } else if (message.role === "assistant") {
    const time = message.timestamp === undefined ? {} : { timestamp: message.timestamp };
    const ids = message.content
      .filter(isToolCall)
      .map((call) => objectIds.get(call) ?? scope.dependencies.ids.next());
    for (const id of ids) state.placedCalls.add(id);
    const step = {
      assistant: message.content,
      toolcall_ids: ids,
      assistant_meta: { ...message.meta, ...time },
      ...answeredView(scope),
      ...key,
    };
    state.chat = { ...chat, turns: withStep(chat.turns, step) };
  } else if (message.role === "opaque") {
    const step = {
      opaque: message.raw,
      kind: message.kind,
      timestamp: message.timestamp ?? null,
      ...key,
    };
    state.chat = { ...chat, turns: withStep(chat.turns, step) };
  }
}

/** Returns the fields that connect an answer with its view and payload. Each view has one answer. */
function answeredView({ state }: SessionScope): Pick<AssistantStep, "view" | "payload_hash"> {
  const { view } = state;
  if (view === undefined || view.isAnswered) return {};
  state.view = { ...view, isAnswered: true };
  const { call, payloadHash } = view;
  return { view: call, ...(payloadHash === undefined ? {} : { payload_hash: payloadHash }) };
}

function openCalls(
  scope: SessionScope,
  message: AssistantMessage,
  objectIds: ReadonlyMap<ToolCallBlock, ObjectId>,
): void {
  const position = endOfChat(scope);
  for (const [call, block] of message.content.filter(isToolCall).entries()) {
    const objectId = objectIds.get(block);
    if (objectId === undefined) continue;
    const args = argumentsOf(block.arguments);
    scope.state.openCalls.set(block.id, { objectId, args, position: { ...position, call } });
  }
}

/**
 * Records a summary. It replaces the messages before `from`: all messages except those that the host still sends after
 * it.
 */
function setCompaction(
  scope: SessionScope,
  message: Extract<Message, { role: "summary" }>,
  { key }: UnseenMessage["identity"],
  kept: TurnPosition | undefined,
): void {
  const { state } = scope;
  const compaction: Compaction = {
    opaque: message.raw,
    kind: message.kind,
    from: kept ?? afterEnd(scope),
    timestamp: message.timestamp ?? null,
    ...(key === undefined ? {} : { key }),
  };
  state.chat = { ...state.chat, compaction };
  freeReplaced(scope, (place) => isAfter(compaction.from, place));
}

/** Returns the position after the end of the chat: the last turn's next step. */
function afterEnd({ state }: SessionScope): TurnPosition {
  const { turns } = state.chat;
  const last = turns.at(-1);
  return last === undefined
    ? { turn: 0, step: -1 }
    : { turn: turns.length - 1, step: last.steps.length };
}

function endOfChat(scope: SessionScope): TurnPosition {
  const { turns } = scope.state.chat;
  return { turn: Math.max(0, turns.length - 1), step: (turns.at(-1)?.steps.length ?? 0) - 1 };
}

function know(scope: SessionScope, one: Unseen, position: TurnPosition | undefined): void {
  const known: KnownMessage = { identity: one.identity, key: one.key, position };
  scope.state.known.set(one.key, known);
  scope.state.sequence = append(scope.state.sequence, known);
}

/** Adds to a list that no other code holds. */
function append(sequence: readonly KnownMessage[], known: KnownMessage): readonly KnownMessage[] {
  (sequence as KnownMessage[]).push(known);
  return sequence;
}

function isOtherPrompt(
  { state }: SessionScope,
  position: TurnPosition | undefined,
  message: Message,
): boolean {
  const user = position?.step === -1 ? state.chat.turns[position.turn]?.user : undefined;
  if (user === undefined || user === null || message.role !== "user") return false;
  return canonicalJson(user) !== canonicalJson(message.content);
}

/** Returns the host's sequence as known messages, for the next comparison. */
function sequenceOf(
  { known }: SessionState,
  identities: readonly MessageIdentity[],
  keys: readonly string[],
): readonly KnownMessage[] {
  return identities.flatMap((identity, index) => {
    const one = known.get(keys[index] ?? "");
    return one === undefined ? [] : [{ ...one, identity }];
  });
}

function firstUsage(unseen: readonly Unseen[]): Readonly<Record<string, unknown>> | undefined {
  for (const { message } of unseen) {
    if (message.role !== "assistant") continue;
    const usage = message.meta["usage"];
    return typeof usage === "object" && usage !== null && !Array.isArray(usage)
      ? (usage as Readonly<Record<string, unknown>>)
      : undefined;
  }
  return undefined;
}
