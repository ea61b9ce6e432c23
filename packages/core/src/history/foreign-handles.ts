import { isObjectId, type ObjectId } from "@self-context-manager/objects";
import { type Execution, executionIn } from "../calls/execution.ts";
import { type Message, textOf } from "../chat/message.ts";
import { handle } from "../lines/handles.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import type { KnownToolcalls } from "./toolcall-ids.ts";

/** A handle in a report. A longer number is a name of something else, and would leave few handles. */
const named = new RegExp(`\\b(?=[a-z]\\d{1,6}\\b)${handle.pattern}\\b`, "gu");

/** The same in a text of the model, of any object but a tool call. */
const mentioned = new RegExp(`\\b(?=[a-su-z]\\d{1,4}\\b)${handle.pattern}\\b`, "gu");

/**
 * Skips the handles that another store gave in this history, so that no object gets a handle under which the model knows
 * another object. They occur in the answers of context tools that this store does not know, and in the texts of the
 * model if the store knows none of the calls. The store of a fork knows them. Tool calls keep their numbers, because
 * the history has them in the same order. Returns whether there is such an answer.
 */
export async function skipForeignHandles(
  scope: SessionScope,
  messages: readonly Message[],
  known: KnownToolcalls,
): Promise<boolean> {
  const answers = messages.flatMap((message) => {
    const execution = message.role === "toolResult" ? executionIn(message) : undefined;
    return message.role !== "toolResult" || execution === undefined
      ? []
      : [{ callId: message.toolCallId, execution }];
  });
  const targets = answers.flatMap(({ execution }) => idsOf(execution));
  const stored = await scope.dependencies.store.describe([...new Set(targets)]);
  const ids = new Set(stored.map((one) => one?.body.id));
  const foreign = answers.filter(({ callId, execution }) => {
    const touched = idsOf(execution);
    // Ids of another form than an object's are never kept, so only the objects of the call can show where it ran.
    if (touched.length > 0) return !touched.some((id) => ids.has(id));
    return isObjectId(callId) && !known.has(callId);
  });
  for (const { execution } of foreign)
    for (const [name] of (execution.report ?? "").matchAll(named)) skip(scope.state, name);
  for (const message of known.size > 0 ? [] : messages)
    if (message.role === "assistant")
      for (const [name] of textOf(message.content).matchAll(mentioned)) skip(scope.state, name);
  return foreign.length > 0;
}

function idsOf({ effects = [] }: Execution): readonly ObjectId[] {
  return effects.map(({ id }) => id);
}

function skip(state: SessionState, name: string): void {
  const letter = name.slice(0, 1);
  state.handleCounts.set(
    letter,
    Math.max(Number(name.slice(1)), state.handleCounts.get(letter) ?? 0),
  );
  state.changed = true;
}
