import { lineCount, linesOf, type ObjectId } from "@self-context-manager/objects";
import { isOwnCall } from "../calls/own-call.ts";
import { usualToolFacts } from "../calls/tool-facts.ts";
import { filesInResult } from "../calls/toolcall-object.ts";
import { argumentsOf, type Block, type ToolCallBlock } from "../chat/message.ts";
import { type AssistantStep, callsOf, isAssistantStep, isDiscarded } from "../chat/turn.ts";
import type { ClassTokens } from "../cost/class-tokens.ts";
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
 * results are not among them, and neither is an answer that has no other calls.
 */
export function plainMessages(
  scope: SessionScope,
  active: readonly ActiveObject[],
  estimator: TokenEstimator,
): ClassTokens {
  const { chat } = scope.state;
  const { compaction } = chat;
  const from = compaction?.from ?? { turn: 0, step: -1 };
  const sums: Record<string, number> = {};
  const loaded = new Map(active.map((object) => [object.entry.id, object]));

  const add = (tokens: ClassTokens): void => {
    for (const [name, each] of Object.entries(tokens)) sums[name] = (sums[name] ?? 0) + each;
  };
  const addOnce = (place: string, content: unknown, make: () => ClassTokens): void => {
    const last = scope.counted.get(place);
    const tokens = last !== undefined && last.content === content ? last.tokens : make();
    if (tokens !== last?.tokens) scope.counted.set(place, { content, tokens });
    add(tokens);
  };
  const count = (message: ViewMessage) => (): ClassTokens => classTokens([message], estimator);

  for (const [at, { message }] of (compaction?.messages ?? []).entries())
    addOnce(`summary ${at}`, message, count(message));
  for (const [turn, { user, steps }] of chat.turns.entries()) {
    if (turn < from.turn) continue;
    if (user !== null && (turn > from.turn || from.step === -1))
      addOnce(`${turn}`, user, count({ role: "user", content: user }));
    for (const [step, one] of steps.entries()) {
      if (turn === from.turn && step < from.step) continue;
      if (!isAssistantStep(one)) {
        const { opaque: raw, kind } = one;
        addOnce(`${turn}.${step}`, raw, count({ role: "opaque", raw, kind }));
        continue;
      }
      const answer = plainAnswer(scope, one);
      if (answer === undefined) continue;
      const { content } = answer;
      addOnce(
        `${turn}.${step} ${content.length}`,
        one.assistant,
        count({ role: "assistant", content }),
      );
      for (const { call, entry } of answer.results) {
        addOnce(entry.id, entry.id, () => {
          const result = plainResult(scope, loaded, call, entry);
          return typeof result === "number"
            ? { plain: result / charactersPerToken }
            : classTokens([resultMessage(call, result)], estimator);
        });
      }
    }
  }
  return sums;
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
    return { call, entry, isOwn: isOwnCall(call, entry?.stored.body, toolFacts) };
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
  const files = filesInResult(stored.body);
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
  const { offset, limit } = argumentsOf(call.arguments);
  const from = typeof offset === "number" ? Math.max(1, offset) : 1;
  const lines = lineCount(text);
  const to = typeof limit === "number" ? Math.min(lines, from + Math.max(0, limit) - 1) : lines;
  return from === 1 && to === lines ? text : linesOf(text, { from, to });
}

function textBlocks(texts: readonly string[]): readonly Block[] {
  return texts.map((text) => ({ type: "text", text }));
}

function charactersOf(stored: PoolEntry["stored"] | undefined): number {
  return Number(stored?.body["char_count"] ?? 0);
}
