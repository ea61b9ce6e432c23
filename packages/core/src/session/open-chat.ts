import {
  defined,
  describeAll,
  isReference,
  lineCount,
  type LineRange,
  metadataVersion,
  type ObjectBody,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";
import { turnTalk } from "../chat/turn-talk.ts";
import { type CallNamer, turnLine, turnText } from "../chat/turn-text.ts";
import { turnsFrom } from "../chat/chat-body.ts";
import { isAssistantStep, type Turn } from "../chat/turn.ts";
import { chatHandle } from "../lines/handles.ts";
import {
  chatCut,
  chatLineCut,
  chatLinesHeader,
  chatTurnHeader,
  chatTurnsHeader,
  turnSummaryHeader,
} from "../lines/chat-lines.ts";
import { fenced } from "../render/content-block.ts";
import { sizeLine } from "../render/reference-line.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import type { SummaryRows } from "../state/turn-summaries.ts";
import { refusal, type ToolAnswer } from "./answers.ts";
import { workspacesOf } from "./reach.ts";
import { type ActivateRange, chosenRange, isPart } from "./chosen-range.ts";
import { storedSummary } from "./summarize-turn.ts";
import { withinLimit } from "./within-limit.ts";

/** The most turns that the summary of a chat lists. */
const mostTurns = 100;

/**
 * Shows a turn of the session's own chat as it was, or without a turn a line for each, as the output of the call, so that
 * it can leave again like any output (decision D72). The chat itself stays locked.
 */
export async function openOwnChat(scope: SessionScope, lines: ActivateRange): Promise<ToolAnswer> {
  const { state } = scope;
  const { chat, summaries } = state;
  const { turns } = chat;
  const { turn, field } = lines;
  if (turn !== undefined) {
    if (field !== undefined) return await openSummary(scope, chatHandle, turns, turn, field);
    const nameOf = namerOf(state, () => "");
    return openTurn(chatHandle, turns, nameOf, { ...lines, turn });
  }
  const { archive } = chat.state;
  const listed = archive === undefined ? turns : turnsFrom(turns, archive.from);
  if (listed.length === 0 && turns.length > 0)
    return refusal(`all turns of ${chatHandle} are archived; turn shows one of ${turns.length}.`);
  const shortOf = (one: Turn): string | undefined => summaries.shortOf(turnTalk(one).key);
  return summaryOf(chatHandle, turns, shortOf, listed.length);
}

/** Returns the number of lines of parts of a chat, each of which ends with a line break. */
function linesIn(parts: string): number {
  return parts.split("\n").length - 1;
}

/** Characters of the answer before a call above which the part around the call begins with its own answer. */
const longBefore = 20_000;

/**
 * Shows the part of the session's own chat around a call: its answer, and the answers before and behind it, or the lines of
 * the turn that are asked for. Undefined if the chat has no such call.
 */
export function openAround(
  scope: SessionScope,
  call: ObjectId,
  { from, to }: Pick<ActivateRange, "from" | "to">,
): ToolAnswer | undefined {
  const { state } = scope;
  const { turns } = state.chat;
  const calls = turns.map(({ steps }) =>
    steps.findIndex((step) => isAssistantStep(step) && step.toolcall_ids.includes(call)),
  );
  const index = calls.findLastIndex((step) => step !== -1);
  const [turn, step] = [turns[index], calls[index]];
  if (turn === undefined || step === undefined) return undefined;
  const nameOf = namerOf(state, () => "");
  const textUntil = (end: number): string =>
    end < 0 ? "" : turnText({ ...turn, steps: turn.steps.slice(0, end) }, nameOf);
  // Before the first answer is the user's message.
  const [start, own] = [step < 2 ? "" : textUntil(step - 1), textUntil(step)];
  const before = own.length - start.length > longBefore ? own : start;
  const range = isPart(defined({ from, to }))
    ? defined({ from, to })
    : { from: linesIn(before) + 1, to: linesIn(textUntil(step + 2)) };
  return openTurn(chatHandle, turns, nameOf, { turn: index + 1, ...range });
}

/** Returns the names of calls: their handles, or else their ids with a line about their output. */
function namerOf({ pool }: SessionState, lineOf: (id: ObjectId) => string): CallNamer {
  return (id) => {
    const entry = pool.get(id);
    return entry === undefined
      ? { name: id, line: lineOf(id) }
      : { name: entry.handle, line: sizeLine(entry) };
  };
}

/**
 * Shows an archived chat, or the chat of an earlier session of the workspace, read-only: a line for each turn, a turn, or
 * lines of its text. `given`: the name that the model used; `id`: the chat, or its session.
 */
export async function openOtherChat(
  scope: SessionScope,
  given: string,
  id: ObjectId,
  lines: ActivateRange,
): Promise<ToolAnswer> {
  const { state, dependencies } = scope;
  const { store, workspace } = dependencies;
  const chat = await chatOf(scope, id);
  if (chat === undefined) return refusal(`${JSON.stringify(given)} has no chat.`);
  const { body } = chat;
  const place = isOwn(state, body)
    ? workspace
    : (await workspacesOf(scope, [metadataVersion(chat)])).get(body.id);
  if (place === undefined)
    return refusal(`${JSON.stringify(given)} is a chat without a call of the model.`);
  if (place !== workspace)
    return refusal(
      `${JSON.stringify(given)} is the chat of another workspace, and is not shown here.`,
    );
  const name = state.pool.get(body.id)?.handle ?? body.id;
  const turns = body["turns"] as readonly Turn[];
  if (lines.turn !== undefined && lines.field !== undefined)
    return await openSummary(scope, name, turns, lines.turn, lines.field);
  if (lines.turn !== undefined) {
    const calls = turns.at(lines.turn > 0 ? lines.turn - 1 : lines.turn)?.steps ?? [];
    const ids = calls.flatMap((step) => (isAssistantStep(step) ? step.toolcall_ids : []));
    const known = new Set((await store.describe(ids)).flatMap((one) => one?.body.id ?? []));
    const nameOf = namerOf(state, (call) => (known.has(call) ? "" : "(no output is stored)"));
    return openTurn(name, turns, nameOf, { ...lines, turn: lines.turn });
  }
  if (lines.from === undefined && lines.to === undefined)
    return summaryOf(name, turns, await shortSummaries(store, turns, chat));
  const text = body.content ?? "";
  const range = chosenRange(text, lines);
  if (typeof range === "string") return refusal(`${given}: ${range}`);
  return shownLines(name, text, range ?? { from: 1, to: lineCount(text) });
}

/** Whether a chat is a part of the session's own. */
function isOwn({ id }: SessionState, body: ObjectBody): boolean {
  const session = body["session_ref"];
  return isReference(session) && session.id === id;
}

/** Returns a chat, or that of a session. */
async function chatOf(
  { dependencies: { store } }: SessionScope,
  id: ObjectId,
): Promise<StoredVersion | undefined> {
  const stored = await store.get(id);
  if (stored?.body.type === "chat") return stored;
  const chat = stored?.body.type === "session" ? stored.body["chat_ref"] : undefined;
  return isReference(chat) ? await store.get(chat.id) : undefined;
}

function openTurn(
  name: string,
  turns: readonly Turn[],
  nameOf: CallNamer,
  { turn: number, from, to }: ActivateRange & { readonly turn: number },
): ToolAnswer {
  const { index, turn } = turnAt(turns, number);
  if (turn === undefined) return noTurn(name, turns);
  const text = turnText(turn, nameOf).replace(/\n$/u, "");
  const count = lineCount(text);
  const range = chosenRange(text, defined({ from, to }));
  if (typeof range === "string") return refusal(`turn ${index + 1} of ${name}: ${range}`);
  const asked = range ?? { from: 1, to: count };
  const { shown, last } = firstLines(text, asked);
  const header = chatTurnHeader.write(index + 1, turns.length, name, asked.from, last, count);
  return { ok: true, text: `${header}\n${shown}`, effects: [], isOutput: true };
}

/** Returns a turn by its number, from 1, or from the end with -1. */
function turnAt(
  turns: readonly Turn[],
  number: number,
): { readonly index: number; readonly turn: Turn | undefined } {
  const index = number > 0 ? number - 1 : turns.length + number;
  return { index, turn: number === 0 ? undefined : turns[index] };
}

function noTurn(name: string, turns: readonly Turn[]): ToolAnswer {
  return refusal(`${name} has ${turns.length} turns; give turn from 1 to ${turns.length}.`);
}

/** Shows a field of the summary that a model wrote of a turn (decision D73). */
async function openSummary(
  scope: SessionScope,
  name: string,
  turns: readonly Turn[],
  number: number,
  field: string,
): Promise<ToolAnswer> {
  const { index, turn } = turnAt(turns, number);
  if (turn === undefined) return noTurn(name, turns);
  const known = await storedSummary(scope, turnTalk(turn).key);
  const stored = known && (await scope.dependencies.store.get(known.body.id));
  const of = `turn ${index + 1} of ${name}`;
  if (stored === undefined)
    return refusal(`${of} has no summary; give turn without field to see the turn itself.`);
  const { content } = stored.body;
  const short = stored.body["short_summary"];
  const text = field === "long_summary" ? content : field === "short_summary" ? short : undefined;
  if (typeof text !== "string")
    return refusal(
      `${of} has the fields short_summary and long_summary, and no ${JSON.stringify(field)}.`,
    );
  const header = turnSummaryHeader.write(field, index + 1, name);
  return { ok: true, text: `${header}\n${fenced(text)}`, effects: [], isOutput: true };
}

/** Returns the short summaries of the turns of another session's chat, as its session object names them. */
async function shortSummaries(
  store: SessionScope["dependencies"]["store"],
  turns: readonly Turn[],
  chat: StoredVersion,
): Promise<(turn: Turn) => string | undefined> {
  const reference = chat.body["session_ref"];
  const session = isReference(reference) ? await store.get(reference.id) : undefined;
  const rows = session?.body["summaries"] as SummaryRows | undefined;
  if (rows === undefined) return () => undefined;
  const keys = turns.slice(-mostTurns).map((turn) => turnTalk(turn).key);
  const ids = keys.map((key) => rows.turns[key]);
  const known = await describeAll(
    store,
    ids.flatMap((id) => id ?? []),
  );
  return (turn) => {
    const id = rows.turns[turnTalk(turn).key];
    const short = id === undefined ? undefined : known.get(id)?.body["short_summary"];
    return typeof short === "string" ? short : undefined;
  };
}

/** Returns a line for each of the last turns; `listed`: how many of them there are. Default: all. */
function summaryOf(
  name: string,
  turns: readonly Turn[],
  shortOf: (turn: Turn) => string | undefined,
  listed: number = turns.length,
): ToolAnswer {
  if (turns.length === 0) return refusal(`${name} has no turns yet.`);
  const first = turns.length - Math.min(listed, mostTurns);
  const shown = turns
    .slice(first)
    .map((turn, at) => turnLine(turn, first + at + 1, { summary: shortOf(turn) }));
  const header = chatTurnsHeader.write(name, turns.length, shown.length);
  return { ok: true, text: [header, ...shown].join("\n"), effects: [], isOutput: true };
}

function shownLines(name: string, text: string, asked: LineRange): ToolAnswer {
  const { shown, last } = firstLines(text, asked);
  const header = chatLinesHeader.write(name, asked.from, last, lineCount(text));
  return { ok: true, text: `${header}\n${shown}`, effects: [], isOutput: true };
}

/** Returns the lines of a range up to the limit of characters, with a line that says so, and the last line that is shown. */
function firstLines(
  text: string,
  asked: LineRange,
): { readonly shown: string; readonly last: number } {
  const { shown, kept, isCut } = withinLimit(text, [asked]);
  const last = kept.at(-1)?.to ?? asked.from;
  const ends = [
    ...(isCut ? [chatLineCut.write(last)] : []),
    ...(last < asked.to ? [chatCut.write(last + 1)] : []),
  ];
  const lines = shown.replace(/\n$/u, "").toWellFormed();
  return { shown: [lines, ...ends].join("\n"), last };
}
