import {
  defined,
  metadataVersion,
  type ObjectBody,
  type ObjectId,
  oneLine,
  sealObject,
  StoreError,
  staticReference,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { turnTalk } from "../chat/turn-talk.ts";
import { turnText } from "../chat/turn-text.ts";
import { callsOf, isAssistantStep, isDiscarded, type Turn } from "../chat/turn.ts";
import { promptOf, soundUsage } from "../cost/reported-usage.ts";
import type { SummaryAnswer } from "../host/summarizer.ts";
import { fenced } from "../render/content-block.ts";
import { notedBody, noteOf } from "../render/object-note.ts";
import type { ObjectPool } from "../state/object-pool.ts";
import { commitSession, joinPool, type SessionScope } from "../state/session-scope.ts";
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
 * What became of an answer. `not-needed`: the user went back to a point before the turn, or the turn has a summary by now.
 * `not-usable`: the answer is not what was asked for.
 */
export type SummaryOutcome = "stored" | "not-needed" | "not-usable";

/**
 * Stores the summary that a model wrote about a turn (decision D73), and the notes of the named calls, in one commit. What
 * the request took is counted, whatever becomes of the answer.
 */
export async function addSummary(
  scope: SessionScope,
  { key, calls }: Pick<TurnToSummarize, "key" | "calls">,
  answer: SummaryAnswer,
): Promise<SummaryOutcome> {
  const { state, dependencies } = scope;
  const { summaries, chat } = state;
  const origin = originOf(answer);
  summaries.spend({ input: 0, output: 0, ...origin.tokens, ...origin });
  const index = chat.turns.findIndex((turn) => turnTalk(turn).key === key);
  const texts = readSummary(answer.text, calls);
  if (texts === undefined) {
    await commitSession(scope);
    return "not-usable";
  }
  const notes = index === -1 ? [] : await notesOf(scope, texts.results);
  if (index === -1 || summaries.get(key) !== undefined || chat.stored === undefined) {
    await commitNotes(scope, notes);
    return "not-needed";
  }
  const body: ObjectBody = {
    id: dependencies.ids.next(),
    type: "summary",
    locked: false,
    content: texts.long,
    short_summary: texts.short,
    char_count: texts.long.length,
    turn_key: key,
    turn: index + 1,
    chat_ref: { ref: "dynamic", id: chat.id },
    provenance: {
      origin: state.hostSessionId,
      generator: "agent",
      parent_refs: [staticReference(chat.stored)],
      prompt: summaryPrompt,
      ...origin,
      ...defined({ time: dependencies.clock?.now() }),
    },
  };
  summaries.add(key, metadataVersion({ ...sealObject(body), version: 1, at: unknownPoint }));
  try {
    const requestId = JSON.stringify(["summary", key]);
    await commitNotes(scope, notes, { body, requestId });
    return "stored";
  } catch (error) {
    if (!StoreError.is(error, "REQUEST_CONFLICT")) throw error;
    // Another session has stored a summary of the turn, which is the one of this session too.
    const stored = await storedSummary(scope, key);
    if (stored !== undefined) summaries.add(key, stored);
    await commitNotes(scope, notes);
    return "not-needed";
  }
}

/** A version to store, and the version after which it comes. */
interface Change {
  readonly body: ObjectBody;
  readonly expect: number;
}

/** Stores the session with the notes of calls, and with a new summary if there is one, in one commit. */
async function commitNotes(
  scope: SessionScope,
  notes: readonly Change[],
  summary?: { readonly body: ObjectBody; readonly requestId: string },
): Promise<void> {
  const first = summary === undefined ? [] : [{ body: summary.body, expect: 0 }];
  const options = summary === undefined ? {} : { requestId: summary.requestId };
  const made = await commitSession(scope, [...first, ...notes], options);
  for (const stored of made.slice(first.length)) {
    if (scope.state.active.has(stored.body.id)) scope.contents.set(stored.body.id, stored);
    joinPool(scope.state, metadataVersion(stored));
  }
}

/** The version point of a version without a transaction. */
const unknownPoint = { tx_id: 0, tx_time: "" };

/** Returns where a summary is from, as far as the answer has it in a sound form. */
function originOf({ model, usage, cost }: SummaryAnswer): {
  readonly model: string;
  readonly tokens?: { readonly input: number; readonly output: number };
  readonly cost?: number;
} {
  const sound = usage === undefined ? undefined : soundUsage(usage);
  const output = count(usage?.output);
  return {
    model: oneLine(model.toWellFormed()).slice(0, 200).toWellFormed(),
    ...(sound === undefined && output === 0
      ? {}
      : { tokens: { input: sound === undefined ? 0 : promptOf(sound), output } }),
    ...(count(cost) === 0 ? {} : { cost: count(cost) }),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Returns the versions of calls with the notes that a model wrote. A note that somebody has written since stays. */
async function notesOf(
  { state, dependencies: { store } }: SessionScope,
  results: ReadonlyMap<string, string>,
): Promise<readonly Change[]> {
  const lines = [...results].flatMap(([handle, line]) => {
    const id = state.pool.handles.get(handle);
    return id === undefined ? [] : [{ id, line }];
  });
  const stored = await store.getMany(lines.map(({ id }) => id));
  return lines.flatMap(({ line }, index) => {
    const call = stored[index];
    if (call === undefined || noteOf(call.body) !== undefined) return [];
    const body = notedBody(call, line, "summarizer");
    return typeof body === "string" ? [] : [{ body, expect: call.version }];
  });
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
