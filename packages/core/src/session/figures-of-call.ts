import type { ObjectId } from "@self-context-manager/objects";
import { isAssistantStep, isDiscarded, type Step, type Turn } from "../chat/turn.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { messageTokens } from "../render/message-tokens.ts";
import type { EpochFigures, ViewMessage } from "../view/layout.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/** The tokens by which the cost of a call is estimated, before calibration. */
export type CallFigures = Pick<EpochFigures, "promptTokens" | "sharedTokens" | "appendOnlyTokens">;

/**
 * Returns the figures of a call for a layout that reports none. `before`: the messages of the last call. Those of another
 * process are not known, so nothing counts as sent before.
 */
export function figuresOfCall(
  messages: readonly ViewMessage[],
  before: readonly ViewMessage[],
  turns: readonly Turn[],
  pool: ReadonlyMap<ObjectId, PoolEntry>,
): CallFigures {
  let promptTokens = 0;
  let sharedTokens = 0;
  let isShared = true;
  for (const [index, message] of messages.entries()) {
    const tokens = tokensOf(message);
    isShared &&= isSame(message, before[index]);
    promptTokens += tokens;
    if (isShared) sharedTokens += tokens;
  }
  return { promptTokens, sharedTokens, appendOnlyTokens: appendOnlyTokens(turns, pool) };
}

function isSame(message: ViewMessage, other: ViewMessage | undefined): boolean {
  return message === other || JSON.stringify(message) === JSON.stringify(other);
}

/** Average characters of a token. The content of an output need not be loaded for an estimate. */
const charactersPerToken = 3.5;

/** Tokens that a provider adds to a result. */
const perResult = 4;

/** Returns the tokens of the chat with every output where it arrived. */
function appendOnlyTokens(turns: readonly Turn[], pool: ReadonlyMap<ObjectId, PoolEntry>): number {
  let tokens = 0;
  for (const { user, steps } of turns) {
    if (user !== null) tokens += contentTokensOf(user);
    for (const step of steps) tokens += stepTokens(step, pool);
  }
  return Math.ceil(tokens);
}

function stepTokens(step: Step, pool: ReadonlyMap<ObjectId, PoolEntry>): number {
  if (!isAssistantStep(step)) return contentTokensOf(JSON.stringify(step.opaque));
  if (isDiscarded(step)) return 0;
  return step.toolcall_ids.reduce((sum, id) => {
    const characters = Number(pool.get(id)?.stored.body["char_count"] ?? 0);
    return sum + perResult + characters / charactersPerToken;
  }, contentTokensOf(step.assistant));
}

type Content = string | Extract<ViewMessage, { role: "assistant" }>["content"];

const knownContents = new WeakMap<object, number>();

/** Returns the tokens of a content. They are kept, because the contents of a chat do not change. */
function contentTokensOf(content: Content): number {
  if (typeof content === "string") return messageTokens({ role: "user", content }, rawEstimator);
  const known = knownContents.get(content);
  if (known !== undefined) return known;
  const tokens = messageTokens({ role: "user", content }, rawEstimator);
  knownContents.set(content, tokens);
  return tokens;
}

const knownMessages = new WeakMap<ViewMessage, number>();

/** Returns the tokens of a message. They are kept, because a layout returns the same object for the same message. */
function tokensOf(message: ViewMessage): number {
  const known = knownMessages.get(message);
  if (known !== undefined) return known;
  const tokens = messageTokens(message, rawEstimator);
  knownMessages.set(message, tokens);
  return tokens;
}
