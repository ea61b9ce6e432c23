import { groupsOf, lineCount, linesOf, type ObjectId } from "@self-context-manager/objects";
import { isOwnCall, opensUnread } from "../calls/own-call.ts";
import { usualToolFacts } from "../calls/tool-facts.ts";
import { fileReferences, filesInResult } from "../calls/toolcall-object.ts";
import { argumentsOf, type Block, type ToolCallBlock } from "../chat/message.ts";
import {
  type AssistantStep,
  callsOf,
  isAssistantStep,
  isDiscarded,
  type Step,
  type Turn,
} from "../chat/turn.ts";
import { addTo, type ClassTokens } from "../cost/class-tokens.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import { classTokens } from "../render/message-tokens.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { ActiveObject, ViewMessage } from "../view/layout.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/** Characters of a token, for contents that are not loaded. */
const charactersPerToken = 4.4;

/**
 * Returns the raw tokens, by class of text, of the messages that the plain host would send now: the chat from its last
 * summary on, with every output as it arrived and a file again with each read of it. Calls of context tools and their
 * results are not among them, and neither is an answer that has no other calls. A call that opens a stored file or note
 * for the first time is a read in the plain host. A step in which every call has its result is counted once.
 */
export function plainMessages(
  scope: SessionScope,
  active: readonly ActiveObject[],
  estimator: TokenEstimator,
): ClassTokens {
  const { compaction, turns } = scope.state.chat;
  const { turn: first, step } = compaction?.from ?? { turn: 0, step: -1 };
  const counting = {
    scope,
    estimator,
    loaded: new Map(active.map((object) => [object.entry.id, object])),
  };
  const sums: Record<string, number> = {};
  addTo(sums, classTokens(compaction?.messages.map(({ message }) => message) ?? [], estimator));
  const from = step === -1 ? first : first + 1;
  if (step !== -1)
    for (const one of turns[first]?.steps.slice(step) ?? []) addTo(sums, stepTokens(counting, one));
  let start = 0;
  for (const group of groupsOf(turns)) {
    if (start >= from) addTo(sums, turnsTokens(counting, group));
    else
      for (const turn of group.slice(Math.max(0, from - start)))
        addTo(sums, turnTokens(counting, turn));
    start += group.length;
  }
  return sums;
}

/** What the messages of the plain host are counted with. */
interface Counting {
  readonly scope: SessionScope;
  readonly estimator: TokenEstimator;
  /** The active contents. */
  readonly loaded: ReadonlyMap<ObjectId, ActiveObject>;
}

/** Turns in which every call has its result are counted once. */
function turnsTokens(counting: Counting, group: readonly Turn[]): ClassTokens {
  const { groups, steps: counted } = counting.scope.counted;
  const known = groups.get(group);
  if (known !== undefined) return known;
  const sums: Record<string, number> = {};
  for (const turn of group) addTo(sums, turnTokens(counting, turn));
  if (group.every(({ steps }) => steps.every((step) => counted.has(step)))) groups.set(group, sums);
  return sums;
}

/** A turn nearly always continues what it was at the last call, so only its new steps are added. */
function turnTokens(counting: Counting, turn: Turn): ClassTokens {
  const { scope, estimator } = counting;
  const { turns, steps: counted } = scope.counted;
  const { user, steps } = turn;
  const key = steps[0] ?? turn;
  const last = turns.get(key);
  const isContinued =
    last !== undefined && last.user === user && last.steps.every((one, at) => one === steps[at]);
  const begun = user === null ? [] : [{ role: "user" as const, content: user }];
  const sums = { ...(isContinued ? last.sums : classTokens(begun, estimator)) };
  let from = isContinued ? last.steps.length : 0;
  for (let step = steps[from]; step !== undefined; step = steps[from]) {
    const tokens = stepTokens(counting, step);
    // Another result can still come.
    if (!counted.has(step)) break;
    addTo(sums, tokens);
    from += 1;
  }
  if (last?.steps.length !== from || !isContinued)
    turns.set(key, { user, steps: steps.slice(0, from), sums: { ...sums } });
  for (const step of steps.slice(from)) addTo(sums, stepTokens(counting, step));
  return sums;
}

function stepTokens(counting: Counting, step: Step): ClassTokens {
  const { scope, estimator, loaded } = counting;
  const { counted, state } = scope;
  const known = counted.steps.get(step);
  if (known !== undefined) return known;
  const sums: Record<string, number> = {};
  const answer = isAssistantStep(step) ? plainAnswer(scope, step) : undefined;
  if (!isAssistantStep(step)) {
    const { opaque: raw, kind } = step;
    addTo(sums, classTokens([{ role: "opaque", raw, kind }], estimator));
  } else if (answer !== undefined) {
    const { content, results } = answer;
    addTo(sums, classTokens([{ role: "assistant", content }], estimator));
    for (const { call, entry } of results) {
      const tokens =
        counted.results.get(entry.id) ??
        resultTokens(plainResult(scope, loaded, call, entry), call, estimator);
      counted.results.set(entry.id, tokens);
      addTo(sums, tokens);
    }
  }
  const isSettled = !isAssistantStep(step) || step.toolcall_ids.every((id) => state.pool.has(id));
  if (isSettled) counted.steps.set(step, sums);
  return sums;
}

function resultTokens(
  result: readonly Block[] | number,
  call: ToolCallBlock,
  estimator: TokenEstimator,
): ClassTokens {
  return typeof result === "number"
    ? { plain: result / charactersPerToken }
    : classTokens([resultMessage(call, result)], estimator);
}

interface PlainAnswer {
  readonly content: readonly Block[];
  /** The calls that have a result. */
  readonly results: readonly { readonly call: ToolCallBlock; readonly entry: PoolEntry }[];
}

/** Returns an answer without its calls of context tools; undefined if it has no other call, or if no view shows it. */
function plainAnswer(scope: SessionScope, step: AssistantStep): PlainAnswer | undefined {
  if (isDiscarded(step)) return undefined;
  const { pool } = scope.state;
  const { toolFacts = usualToolFacts } = scope.dependencies;
  const calls = callsOf(step).map((call, index) => {
    const entry = pool.get(step.toolcall_ids[index] ?? ("" as ObjectId));
    const body = entry?.stored.body;
    const isOwn = isOwnCall(call, body, toolFacts) && !opensUnread(body, pool.entries.values());
    return { call, entry, isOwn };
  });
  if (calls.length > 0 && calls.every(({ isOwn }) => isOwn)) return undefined;
  const own = new Set<Block>(calls.flatMap(({ call, isOwn }) => (isOwn ? [call] : [])));
  return {
    content: own.size === 0 ? step.assistant : step.assistant.filter((block) => !own.has(block)),
    results: calls.flatMap(({ call, entry, isOwn }) =>
      isOwn || entry === undefined ? [] : [{ call, entry }],
    ),
  };
}

function resultMessage(call: ToolCallBlock, content: readonly Block[]): ViewMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    isError: false,
  };
}

/**
 * Returns the content that the plain host would show as a result: the lines that a read asked for of a file, or the
 * output. If it is not loaded, returns the number of its characters.
 */
function plainResult(
  { state, contents }: SessionScope,
  loaded: ReadonlyMap<ObjectId, ActiveObject>,
  call: ToolCallBlock,
  { id, stored }: PoolEntry,
): readonly Block[] | number {
  const isOpened = opensUnread(stored.body, state.pool.entries.values());
  const files = isOpened ? fileReferences(stored.body) : filesInResult(stored.body);
  if (files.length === 0) {
    const body = (loaded.get(id)?.stored ?? contents.get(id))?.body;
    const blocks = body?.["blocks"];
    if (Array.isArray(blocks)) return blocks as readonly Block[];
    const shown = loaded.get(id)?.ranges;
    const text = body?.content;
    if (typeof text !== "string") return charactersOf(stored);
    return textBlocks(
      (shown ?? [{ from: 1, to: lineCount(text) }]).map((one) => linesOf(text, one)),
    );
  }
  let characters = 0;
  const texts: string[] = [];
  for (const file of files) {
    const text = (loaded.get(file.id)?.stored ?? contents.get(file.id))?.body.content;
    if (typeof text === "string") texts.push(linesRead(text, call));
    else characters += charactersOf(state.pool.get(file.id)?.stored);
  }
  return texts.length < files.length
    ? characters + texts.reduce((sum, { length }) => sum + length, 0)
    : textBlocks(texts);
}

function linesRead(text: string, call: ToolCallBlock): string {
  const { offset, limit, from: first = offset, to: end } = argumentsOf(call.arguments);
  const from = typeof first === "number" ? Math.max(1, first) : 1;
  const lines = lineCount(text);
  const last = typeof end === "number" ? end : lines;
  const limited = typeof limit === "number" ? from + Math.max(0, limit) - 1 : last;
  const to = Math.min(lines, limited);
  return from === 1 && to === lines ? text : linesOf(text, { from, to });
}

function textBlocks(texts: readonly string[]): readonly Block[] {
  return texts.map((text) => ({ type: "text", text }));
}

function charactersOf(stored: PoolEntry["stored"] | undefined): number {
  return Number(stored?.body["char_count"] ?? 0);
}
