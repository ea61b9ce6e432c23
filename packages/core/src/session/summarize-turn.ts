import {
  defined,
  metadataVersion,
  type ObjectBody,
  type ObjectId,
  StoreError,
  staticReference,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { turnTalk } from "../chat/turn-talk.ts";
import { turnText } from "../chat/turn-text.ts";
import { callsOf, isAssistantStep, isDiscarded, type Turn } from "../chat/turn.ts";
import type { SummaryAnswer } from "../host/summarizer.ts";
import { fenced } from "../render/content-block.ts";
import { noteOf } from "../render/object-note.ts";
import type { ObjectPool } from "../state/object-pool.ts";
import { commitObjects, commitSession, type SessionScope } from "../state/session-scope.ts";
import { writeNote } from "./inspect-object.ts";
import {
  answerTokens,
  readSummary,
  shortened,
  summaryInstruction,
  summaryPrompt,
} from "./summary-text.ts";

/** A finished turn without a summary, as a model is asked for it. */
export interface TurnToSummarize {
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** The key by which the answer is given back. */
  readonly key: string;
  /** The handles of the calls that get a line as well. */
  readonly calls: readonly string[];
  readonly instruction: string;
  readonly text: string;
  readonly maxTokens: number;
}

/** Which turns are summarized. */
export interface SummarizeOptions {
  /** Whether long results of calls without a note get one, in the same request. Default: false. */
  readonly results?: boolean;
  /** The keys of turns that are left out, because a request for them has failed. Default: none. */
  readonly without?: ReadonlySet<string>;
}

/** Characters of the talk of a turn from which a summary is much shorter than the turn. */
const leastTalk = 2_000;

/** Characters of a result from which it gets a line, and the most results of a turn with one. */
const longResult = 2_000;
const mostResults = 20;

/** Characters of an output, and of a whole turn, that a model gets. The middle of longer texts is left out. */
const longest = {
  output: { head: 1_200, tail: 800 },
  turn: { head: 50_000, tail: 30_000 },
} as const;

/**
 * Returns the newest finished turn of the chat that has no summary and is long enough for one; undefined if there is none.
 * If the store has a summary of it already, which a session made that shares the turn, this is the summary of the turn.
 */
export async function turnToSummarize(
  scope: SessionScope,
  { without, results = false }: SummarizeOptions = {},
): Promise<TurnToSummarize | undefined> {
  const { state } = scope;
  const { chat, summaries } = state;
  let found: TurnToSummarize | undefined;
  for (let index = chat.turns.length - 1; index >= 0 && found === undefined; index -= 1) {
    const turn = chat.turns[index];
    if (turn === undefined || !isFinished(scope, turn, index)) continue;
    const { key } = turnTalk(turn);
    if (summaries.get(key) !== undefined || without?.has(key) === true) continue;
    const stored = await storedSummary(scope, key);
    if (stored === undefined) found = await requestFor(scope, turn, index, results);
    else summaries.add(key, stored);
  }
  await commitSession(scope);
  return found;
}

/**
 * Stores the summary that a model wrote about a turn (decision D73). Returns false if the answer is not usable, if the user
 * went back to a point before the turn, or if the turn has a summary by now. What the request took is counted in each case.
 */
export async function addSummary(
  scope: SessionScope,
  { key, calls }: Pick<TurnToSummarize, "key" | "calls">,
  answer: SummaryAnswer,
): Promise<boolean> {
  const { state, dependencies } = scope;
  const { summaries, chat } = state;
  const { model, usage, cost } = answer;
  const tokens =
    usage === undefined
      ? undefined
      : { input: usage.input + usage.cacheRead + usage.cacheWrite, output: usage.output };
  summaries.spend({ input: 0, output: 0, ...tokens, ...defined({ cost, model }) });
  const index = chat.turns.findIndex((turn) => turnTalk(turn).key === key);
  const texts = readSummary(answer.text, calls);
  const { stored } = chat;
  const isWanted = index !== -1 && texts !== undefined && summaries.get(key) === undefined;
  if (!isWanted || stored === undefined) {
    await commitSession(scope);
    return false;
  }
  const body: ObjectBody = {
    id: dependencies.ids.next(),
    type: "summary",
    locked: false,
    content: texts.long,
    short_summary: texts.short,
    turn_key: key,
    turn: index + 1,
    chat_ref: { ref: "dynamic", id: chat.id },
    provenance: {
      origin: state.hostSessionId,
      generator: "agent",
      parent_refs: [staticReference(stored)],
      prompt: summaryPrompt,
      ...defined({ model, tokens, cost, time: dependencies.clock?.now() }),
    },
  };
  const made = await storeOnce(scope, key, body);
  if (made !== undefined) summaries.add(key, made);
  for (const [handle, line] of texts.results) {
    const id = state.pool.handles.get(handle);
    // A line that is too long, or of an object that another process has changed, is not written.
    if (id !== undefined) await writeNote(scope, id, line, "summarizer");
  }
  await commitSession(scope);
  return made !== undefined;
}

/** Stores a summary unless another session has stored one of the same turn. Returns the one that is stored. */
async function storeOnce(
  scope: SessionScope,
  key: string,
  body: ObjectBody,
): Promise<StoredMetadata | undefined> {
  try {
    const requestId = JSON.stringify(["summary", key]);
    const [made] = await commitObjects(scope, [{ body, expect: 0 }], { requestId });
    return made === undefined ? undefined : metadataVersion(made);
  } catch (error) {
    if (!StoreError.is(error, "REQUEST_CONFLICT")) throw error;
    return await storedSummary(scope, key);
  }
}

/** Returns the summary of a turn by the turn's key, if the store has one. */
export async function storedSummary(
  { dependencies: { store } }: Pick<SessionScope, "dependencies">,
  key: string,
): Promise<StoredMetadata | undefined> {
  return (await store.find({ where: { type: "summary", turn_key: key }, limit: 1 })).items[0];
}

/** Whether a turn ended with an answer, each of its calls has its result, and it has enough talk. */
function isFinished({ state: { chat, pool } }: SessionScope, turn: Turn, index: number): boolean {
  const steps = turn.steps.filter(isAssistantStep);
  const last = steps.findLast((step) => !isDiscarded(step));
  if (last === undefined) return false;
  if (index === chat.turns.length - 1 && callsOf(last).length > 0) return false;
  const hasAll = steps.every((step) => step.toolcall_ids.every((id) => pool.has(id)));
  return hasAll && turnTalk(turn).characters >= leastTalk;
}

async function requestFor(
  { state, dependencies: { store } }: SessionScope,
  turn: Turn,
  index: number,
  hasResults: boolean,
): Promise<TurnToSummarize> {
  const ids = turn.steps.flatMap((step) => (isAssistantStep(step) ? step.toolcall_ids : []));
  const stored = await store.getMany(ids);
  const outputs = new Map(ids.map((id, at) => [id, outputOf(stored[at])]));
  const nameOf = (id: ObjectId): { readonly name: string; readonly line: string } => ({
    name: state.pool.get(id)?.handle ?? id,
    line: outputs.get(id) ?? "",
  });
  const text = shortened(turnText(turn, nameOf), longest.turn);
  const calls = hasResults ? stored.flatMap((one) => handleOfLong(state.pool, one)) : [];
  return {
    turn: index + 1,
    key: turnTalk(turn).key,
    calls: calls.slice(-mostResults),
    instruction: summaryInstruction(calls.slice(-mostResults)),
    text: fenced(text),
    maxTokens: answerTokens,
  };
}

/** Returns the handle of a call whose result is long and has no note. */
function handleOfLong(pool: ObjectPool, stored: StoredVersion | undefined): readonly string[] {
  if (stored === undefined || stored.body["context_tool"] === true) return [];
  const isLong =
    (stored.body.content ?? "").length >= longResult && noteOf(stored.body) === undefined;
  const handle = pool.get(stored.body.id)?.handle;
  return isLong && handle !== undefined ? [handle] : [];
}

/** Returns an output for a model. The report of a context tool is no content. */
function outputOf(stored: StoredVersion | undefined): string {
  const content = stored?.body.content;
  return typeof content === "string" ? shortened(content, longest.output) : "";
}
