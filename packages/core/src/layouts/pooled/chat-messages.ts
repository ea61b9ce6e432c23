import type { ObjectId } from "@self-context-manager/objects";
import type { ToolCallBlock } from "../../chat/message.ts";
import {
  type AssistantStep,
  callsOf,
  isAssistantStep,
  isDiscarded,
  type Step,
  type Turn,
  withSentIds,
} from "../../chat/turn.ts";
import type { TokenEstimator } from "../../cost/token-estimator.ts";
import { messageTokens } from "../../render/message-tokens.ts";
import { renderEntry } from "../../render/render-entry.ts";
import { resultLine } from "../../render/reference-line.ts";
import { noResult, shownAnswer, withoutEmpty } from "../../render/step-content.ts";
import type { LayoutInput, ViewMessage } from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { ViewEntry } from "../../view/view-entry.ts";

/** Messages with their estimated tokens. */
export interface Rendered {
  readonly messages: readonly ViewMessage[];
  readonly tokens: number;
}

/** The rendering of a step. It is valid as long as its metadata and the calibration are the same. */
interface KeptStep extends Rendered {
  readonly entries: readonly (PoolEntry["stored"] | undefined)[];
  /** The pool's revision at which the entries were last compared; undefined while a call has no result. */
  revision: number | undefined;
  readonly estimator: TokenEstimator;
}

const keptSteps = new WeakMap<Step, KeptStep>();

/** Returns the user message of a turn, or nothing if it is missing or empty. */
function userMessages(turn: Turn, estimator: TokenEstimator): Rendered {
  if (turn.user === null || withoutEmpty(turn.user).length === 0)
    return { messages: [], tokens: 0 };
  const message = drawn({ type: "user", turn: 0, tokens: 0 }, turn);
  return { messages: [message], tokens: messageTokens(message, estimator) };
}

/** Returns the message of an entry of a turn, drawn as in every layout. */
function drawn(entry: ViewEntry, turn: Turn): ViewMessage {
  return renderEntry(entry, {
    turns: [turn],
    chatHandle: "",
    workspace: "",
    object: () => undefined,
  });
}

function drawnStep(type: "assistant" | "opaque", step: Step): ViewMessage {
  const turn = { user: null, timestamp: null, steps: [step] };
  return drawn({ type, turn: 0, step: 0, tokens: 0 }, turn);
}

/**
 * Returns the messages of a step: the answer unchanged, then for each of its calls the reference line. Failed and
 * aborted answers are left out, because hosts do not send them either.
 */
export function stepMessages(
  step: Step,
  { pool, poolRevision, estimator }: Pick<LayoutInput, "pool" | "poolRevision" | "estimator">,
): Rendered {
  const kept = keptSteps.get(step);
  const ids = isAssistantStep(step) ? step.toolcall_ids : noIds;
  if (kept?.estimator === estimator) {
    if (kept.revision === poolRevision) return kept;
    if (isCurrent(kept, ids, pool)) {
      kept.revision = kept.entries.includes(undefined) ? undefined : poolRevision;
      return kept;
    }
  }
  const entries = ids.map((id) => pool.get(id)?.stored);
  const messages = isAssistantStep(step)
    ? assistantMessages(step, pool)
    : [drawnStep("opaque", step)];
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message, estimator), 0);
  const rendered = { messages, tokens, entries, estimator, revision: undefined };
  keptSteps.set(step, rendered);
  return rendered;
}

/** The rendering of a turn in which every call has its result. */
interface KeptTurn extends Rendered {
  readonly revision: number;
  readonly estimator: TokenEstimator;
}

const keptTurns = new WeakMap<Turn, KeptTurn>();

/** Returns the messages of a whole turn: the user message and those of its steps. */
export function turnMessages(
  turn: Turn,
  input: Pick<LayoutInput, "pool" | "poolRevision" | "estimator">,
): Rendered {
  const { estimator, poolRevision: revision } = input;
  const kept = keptTurns.get(turn);
  if (kept?.revision === revision && kept.estimator === estimator) return kept;
  const parts = turn.steps.map((step) => stepMessages(step, input));
  const rendered = concatRendered([userMessages(turn, estimator), ...parts]);
  const isSettled = turn.steps.every(
    (step) => !isAssistantStep(step) || step.toolcall_ids.every((id) => input.pool.has(id)),
  );
  if (isSettled) keptTurns.set(turn, { ...rendered, revision, estimator });
  return rendered;
}

/** Joins several renderings in order. */
export function concatRendered(parts: readonly Rendered[]): Rendered {
  const none: readonly ViewMessage[] = [];
  return {
    messages: none.concat(...parts.map(({ messages }) => messages)),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function assistantMessages(
  step: AssistantStep,
  pool: ReadonlyMap<ObjectId, PoolEntry>,
): readonly ViewMessage[] {
  if (isDiscarded(step)) return [];
  if (shownAnswer(step.assistant).length === 0) return [];
  const { timestamp } = step.assistant_meta;
  const time = typeof timestamp === "number" ? { timestamp } : {};
  const results = callsOf(withSentIds(step)).map((call, index) =>
    resultMessage(call, step.toolcall_ids[index], pool, time),
  );
  return [drawnStep("assistant", step), ...results];
}

function resultMessage(
  call: ToolCallBlock,
  id: ObjectId | undefined,
  pool: ReadonlyMap<ObjectId, PoolEntry>,
  time: { readonly timestamp?: number },
): ViewMessage {
  const entry = id === undefined ? undefined : pool.get(id);
  const recorded = entry?.stored.body["timestamp"];
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: entry === undefined ? noResult : resultLine(entry) }],
    isError: entry === undefined || entry.stored.body["is_error"] === true,
    ...(typeof recorded === "number" ? { timestamp: recorded } : time),
  };
}

const noIds: readonly ObjectId[] = [];

function isCurrent(
  kept: KeptStep,
  ids: readonly ObjectId[],
  pool: ReadonlyMap<ObjectId, PoolEntry>,
): boolean {
  for (const [index, id] of ids.entries()) {
    if (kept.entries[index] !== pool.get(id)?.stored) return false;
  }
  return true;
}
