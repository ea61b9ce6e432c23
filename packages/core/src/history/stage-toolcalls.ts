import {
  type ContextOperation,
  defined,
  type DynamicReference,
  type LineRange,
  metadataVersion,
  type ObjectBody,
  type ObjectId,
  type ObjectWrite,
  type Reference,
  type SealedObject,
  sealObject,
  staticReference,
  type StaticReference,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { CallKind } from "../calls/call-kind.ts";
import { type Execution, rangeIn } from "../calls/execution.ts";
import { usualToolFacts } from "../calls/tool-facts.ts";
import { toolcallBody } from "../calls/toolcall-object.ts";
import type { ToolResultMessage } from "../chat/message.ts";
import { isAssistantStep } from "../chat/turn.ts";
import { applyPolicy } from "../state/apply-policy.ts";
import type { OpenCall } from "../state/chat-index.ts";
import { noteArrival } from "../state/note-use.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import { setActive } from "../state/set-active.ts";
import { executionOfResult } from "./execution-of-result.ts";
import { replayEffects } from "./replay-effects.ts";
import type { ArrivingParts } from "./user-objects.ts";

/** A tool's result that waits until its chat is stored. */
export interface WaitingResult {
  readonly result: ToolResultMessage;
  readonly objectId: ObjectId;
  /** The host's key of the message; undefined if the host gives none. */
  readonly key?: string;
  /** The call of the result; undefined if the session has not ingested it. */
  readonly call?: OpenCall;
}

/** Waiting results with the information about them. */
export interface WaitingResults {
  readonly waiting: readonly WaitingResult[];
  /** The objects of these results that the store has already. */
  readonly known: ReadonlyMap<ObjectId, StoredMetadata>;
  /** The executions of tools that have read a file and whose result shows its text, by the result. */
  readonly recognized: ReadonlyMap<ToolResultMessage, Execution>;
}

/**
 * Ingests tool executions and stages their objects for the session's next commit. That transaction follows the one of the
 * chat, because each object refers to a version of the chat (decision D35). If the chat is not stored yet, the objects name
 * it without its version until then. A tool call that another session stored already keeps its object unchanged, so that
 * forks share it (decision D31). `texts`: the user objects of the messages
 * before and between the results.
 */
export async function stageToolcalls(
  scope: SessionScope,
  { waiting, known, recognized }: WaitingResults,
  texts: ArrivingParts,
): Promise<void> {
  const { state } = scope;
  const made: StoredVersion[] = [];
  const writes: (() => ObjectWrite)[] = [];
  const isChatStored = scope.staged.every(({ isBefore }) => isBefore !== true);
  const firstVersion = (body: ObjectBody, call: OpenCall | undefined): StoredMetadata => {
    const whole = (): SealedObject => sealObject({ ...body, chat_ref: chatReference(scope, call) });
    const object = isChatStored ? whole() : sealObject(body);
    const version = { ...object, version: 1, at: unknownPoint };
    made.push(version);
    writes.push(() => ({ object: isChatStored ? object : whole(), expect: 0 }));
    return metadataVersion(version);
  };
  for (const one of waiting) {
    texts.arriveUntil(one.call?.position.turn ?? Number.POSITIVE_INFINITY);
    const there = known.get(one.objectId);
    const execution = executionOfResult(scope, one.result, {
      recognized: recognized.get(one.result),
      stored: there,
    });
    const body = toolcallBody({
      id: one.objectId,
      result: one.result,
      args: one.call?.args ?? {},
      chatRef: { ref: "dynamic", id: state.chat.id },
      fileRefs: execution.fileRefs ?? filesIn(scope, execution),
      ...defined({ report: execution.report }),
      targetRefs: targetsOf(scope, execution),
      ...operationOf(execution),
      ...targetRangeOf(execution),
      ...kindOf(scope, one, execution),
    });
    await arrive(scope, one, there ?? firstVersion(body, one.call), execution);
  }
  texts.stage();
  applyPolicy(scope);
  keepContents(scope, made);
  scope.staged.push({
    writes: () => writes.map((write) => write()),
    settle: (versions) => {
      settle(scope, versions);
      for (const { result } of waiting) state.executions.forget(result.toolCallId);
      const entries = waiting.flatMap(({ objectId }) => state.pool.get(objectId) ?? []);
      state.chat.nameCalls(entries.map(({ stored }) => stored));
    },
  });
}

/** The version point of a version without a transaction. */
const unknownPoint = { tx_id: 0, tx_time: "" };

/** Replaces the pool entries by the stored versions. Their shown text does not change. */
function settle(scope: SessionScope, versions: readonly StoredVersion[]): void {
  for (const version of versions) scope.state.pool.settle(metadataVersion(version));
  keepContents(scope, versions);
}

function keepContents({ state, contents }: SessionScope, versions: readonly StoredVersion[]): void {
  for (const version of versions) {
    const { id } = version.body;
    if (state.active.has(id)) contents.set(id, version);
    else contents.delete(id);
  }
}

async function arrive(
  scope: SessionScope,
  { result, call, key }: WaitingResult,
  stored: StoredMetadata,
  execution: Execution,
): Promise<void> {
  const { state } = scope;
  const entry = joinPool(state, stored, defined({ key }));
  const { id } = entry;
  const isContextTool = execution.report !== undefined;
  const before = new Set(state.active.unsent.keys());
  const turn = call?.position.turn ?? state.chat.now().turn;
  if (call !== undefined) state.chat.countCall(turn, isContextTool);
  const used = { turn, call: state.chat.callsIn(turn) };
  // A file that was only named becomes one that is watched, if a tool has read it.
  for (const file of execution.fileRefs ?? []) state.pool.noteUntracked(file.id);
  state.executions.noteArrived(result.toolCallId);
  if (execution.isApplied !== true) await replayEffects(scope, execution.effects ?? [], used);
  const hasBlocks = result.content.some((block) => block.type !== "text");
  const hasText = Number(stored.body["char_count"] ?? 0) > 0;
  noteArrival(scope, entry, result.toolName, call?.args ?? {});
  if (hasBlocks || (hasText && !isContextTool))
    setActive(state, id, rangeIn(stored.body["shown_range"]), { used, isAsked: false });
  state.active.noteArrived(before, hasLaterAnswer(state, call));
}

/** Whether the model has answered after a call, so that it has seen the result of the call. */
function hasLaterAnswer({ chat }: SessionState, call: OpenCall | undefined): boolean {
  if (call === undefined) return false;
  const { turn, step } = call.position;
  // No copy of the turns: in a long history each result asks.
  for (let at = turn; at < chat.turns.length; at += 1) {
    const { steps = [] } = chat.turns[at] ?? {};
    if (steps.some((one, index) => (at > turn || index > step) && isAssistantStep(one)))
      return true;
  }
  return false;
}

function chatReference(
  scope: SessionScope,
  call: OpenCall | undefined,
): StaticReference | DynamicReference {
  const { stored, id } = scope.state.chat;
  if (stored === undefined) return { ref: "dynamic", id };
  return staticReference(stored, call === undefined ? {} : { position: call.position });
}

function kindOf(
  { dependencies }: SessionScope,
  { result, call }: WaitingResult,
  { report }: Execution,
): { readonly kind?: CallKind } {
  if (report !== undefined || call === undefined) return {};
  return { kind: (dependencies.toolFacts ?? usualToolFacts)(result.toolName, call.args).kind };
}

/** Returns references to the objects that an execution added to the context. `filesIn` has the versions of files. */
function targetsOf({ state }: SessionScope, execution: Execution): readonly Reference[] {
  return shownBy(execution).map((id) =>
    isFile(state, id) ? { ref: "dynamic", id } : newestReference(state, id),
  );
}

function isFile({ pool }: SessionState, id: ObjectId): boolean {
  const type = pool.get(id)?.stored.body.type;
  return type === "file" || type === "note";
}

/** Returns the objects that an execution added to the context, each once. */
function shownBy({ effects = [] }: Execution): readonly ObjectId[] {
  const shown = effects.filter(({ op }) => op === "read" || op === "activate" || op === "pin");
  return [...new Set(shown.map(({ id }) => id))];
}

/** Returns a reference to the newest version that the session knows; a dynamic one if it is not stored yet. */
function newestReference({ pool }: SessionState, id: ObjectId): Reference {
  const stored = pool.get(id)?.stored;
  return stored === undefined || stored.at.tx_id === unknownPoint.tx_id
    ? { ref: "dynamic", id }
    : staticReference(stored);
}

function operationOf({ report, effects = [] }: Execution): {
  readonly operation?: ContextOperation;
} {
  const [first] = effects;
  return report === undefined || first === undefined ? {} : { operation: first.op };
}

function targetRangeOf({ effects = [] }: Execution): { readonly targetRange?: LineRange } {
  const [only, other] = effects;
  return other !== undefined || only?.range === undefined ? {} : { targetRange: only.range };
}

/** Returns the versions of the files that an execution read or showed. */
function filesIn({ state }: SessionScope, execution: Execution): readonly StaticReference[] {
  const read = new Map((execution.effects ?? []).map(({ id, file }) => [id, file]));
  return shownBy(execution).flatMap((id): readonly StaticReference[] => {
    const reference = read.get(id) ?? newestReference(state, id);
    return reference.ref === "static" && isFile(state, id) ? [reference] : [];
  });
}
