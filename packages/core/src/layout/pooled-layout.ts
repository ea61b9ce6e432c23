import { type Block, isImage } from "../chat/message.ts";
import type { TurnPosition } from "../chat/turn.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { TokenEstimator } from "../ports/token-estimator.ts";
import type { PoolEntry } from "../session/session-state.ts";
import { type Rendered, stepMessages, together, turnMessages } from "./chat-messages.ts";
import { lineCount, linesOf } from "../session/line-range.ts";
import { blockHeader, fenced, textBlock } from "./content-block.ts";
import { fitText } from "./fit-text.ts";
import type {
  ActiveObject,
  Layout,
  LayoutInput,
  LayoutOutput,
  ShownObject,
  ViewMessage,
} from "./layout.ts";
import { contentTokens, messageTokens } from "./message-tokens.ts";
import { poolLine } from "./reference-line.ts";

/**
 * The specification's order, made anew on every call (v0 §21.2): metadata pool, chat with references in the place of
 * outputs, active content, and at the tail which objects are active and pinned (decision D44). The system prompt goes
 * by the host's own channel.
 */
export const pooledLayout: Layout = {
  name: "pooled",
  render(input) {
    const chat = fitChat(input, renderChat(input));
    const active = renderActive(input, chat.tokens + listRoom(input));
    const pool = fitPool(input, chat.tokens + active.tokens);
    return {
      messages: [...pool.messages, ...chat.messages, ...active.messages],
      tokens: { metadata: pool.tokens, chat: chat.tokens, active: active.tokens },
      shown: active.shown,
    } satisfies LayoutOutput;
  },
};

/** The chat by turns, so that whole turns can leave; what follows without a user's message goes with the turn before. */
interface RenderedTurn extends Rendered {
  readonly first: number;
  readonly last: number;
}

function renderChat(input: LayoutInput): readonly RenderedTurn[] {
  const { turns, estimator, compaction } = input;
  const from = compaction?.from ?? { turn: 0, step: -1 };
  const rendered: RenderedTurn[] = [];
  if (compaction !== undefined) {
    const message: ViewMessage = { role: "opaque", kind: compaction.kind, raw: compaction.opaque };
    rendered.push({ first: 0, last: 0, ...renderedMessages([message], estimator) });
  }
  for (const [index, turn] of turns.entries()) {
    if (index < from.turn) continue;
    const isWhole = isAfter({ turn: index, step: -1 }, from);
    const whole = isWhole
      ? turnMessages(turn, input)
      : together(turn.steps.slice(from.step).map((step) => stepMessages(step, input)));
    const earlier = whole.messages[0]?.role === "user" ? undefined : rendered.at(-1);
    if (earlier !== undefined && earlier.last > 0) {
      rendered[rendered.length - 1] = {
        ...together([earlier, whole]),
        first: earlier.first,
        last: index + 1,
      };
    } else {
      rendered.push({ first: index + 1, last: index + 1, ...whole });
    }
  }
  return startedByUser(rendered, estimator);
}

const opening: ViewMessage = {
  role: "user",
  content: [{ type: "text", text: "[the chat begins without a user's message]" }],
};

/** Providers want a user's message first. */
function startedByUser(
  turns: readonly RenderedTurn[],
  estimator: TokenEstimator,
): readonly RenderedTurn[] {
  const index = turns.findIndex(({ messages }) => messages.length > 0);
  const turn = turns[index];
  if (turn?.messages[0]?.role !== "assistant") return turns;
  const begun = together([renderedMessages([opening], estimator), turn]);
  return turns.with(index, { ...turn, ...begun });
}

function renderedMessages(messages: readonly ViewMessage[], estimator: TokenEstimator): Rendered {
  return {
    messages,
    tokens: messages.reduce((sum, message) => sum + messageTokens(message, estimator), 0),
  };
}

function isAfter(position: TurnPosition, from: TurnPosition): boolean {
  return position.turn > from.turn || (position.turn === from.turn && position.step >= from.step);
}

/** The oldest whole turns leave behind one line where the chat alone is over the budget (decision D54). */
function fitChat(input: LayoutInput, turns: readonly RenderedTurn[]): Rendered {
  const { budget, estimator } = input;
  let total = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  if (budget === undefined || total <= budget) return together(turns);
  const last = turns.at(-1)?.last ?? 0;
  const room = budget - messageTokens(leftLine(input, last, last), estimator);
  let gone = 0;
  while (gone < turns.length - 1 && total > room) {
    total -= turns[gone]?.tokens ?? 0;
    gone += 1;
  }
  const rest = turns.slice(gone);
  if (gone === 0) return fitTurn(input, rest[0], budget);
  const line = leftLine(input, turns[0]?.first ?? 1, turns[gone - 1]?.last ?? 1);
  const left = renderedMessages([line], estimator);
  if (total <= room) return together([left, ...rest]);
  const user = rest[0]?.messages[0];
  const fits = user?.role === "user" && messageTokens(user, estimator) <= room;
  return fits ? together([left, fitTurn(input, rest[0], room)]) : fitTurn(input, rest[0], budget);
}

function leftLine(input: LayoutInput, first: number, last: number): ViewMessage {
  const text = `[turns ${Math.max(1, first)} to ${last} are not shown; activate ${input.chatHandle} with from and to reads their lines]`;
  return { role: "user", content: [{ type: "text", text }] };
}

/** What of the last turn alone fits: the newest user's message first, then the newest steps. */
function fitTurn(input: LayoutInput, turn: RenderedTurn | undefined, budget: number): Rendered {
  const { estimator } = input;
  const messages = turn?.messages ?? [];
  const first = messages[0] ?? opening;
  const isUser = first.role === "user";
  const begin = isUser ? fitUser(first, input, budget) : renderedMessages([opening], estimator);
  if (begin.messages.length === 0 || begin.tokens > budget) return { messages: [], tokens: 0 };
  const groups = stepGroups(isUser ? messages.slice(1) : messages);
  const rest = (turn?.tokens ?? 0) - (isUser ? messageTokens(first, estimator) : 0);
  if (begin.tokens + rest <= budget)
    return { messages: [...begin.messages, ...groups.flat()], tokens: begin.tokens + rest };
  const longest = renderedMessages([leftSteps(input, groups.length)], estimator).tokens;
  const hasLine = begin.tokens + longest <= budget;
  const kept: Rendered[] = [];
  let tokens = begin.tokens + (hasLine ? longest : 0);
  for (const step of groups.toReversed()) {
    const group = renderedMessages(step, estimator);
    if (tokens + group.tokens > budget) break;
    kept.unshift(group);
    tokens += group.tokens;
  }
  const line = leftSteps(input, groups.length - kept.length);
  return together([begin, ...(hasLine ? [renderedMessages([line], estimator)] : []), ...kept]);
}

function leftSteps({ chatHandle }: LayoutInput, count: number): ViewMessage {
  const text = `[the first ${count} steps of this turn are not shown; activate ${chatHandle} with from and to reads their lines]`;
  return { role: "user", content: [{ type: "text", text }] };
}

function fitUser(message: ViewMessage, input: LayoutInput, budget: number): Rendered {
  const { estimator, chatHandle } = input;
  if (messageTokens(message, estimator) <= budget)
    return { messages: [message], tokens: messageTokens(message, estimator) };
  const content = message.role === "user" ? message.content : "";
  const blocks: readonly Block[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = blocks
    .map((block) => (typeof block["text"] === "string" ? block["text"] : `(${block.type})`))
    .join("\n");
  const fitted = fitText(
    text,
    Math.max(0, budget - 8),
    estimator,
    `activate ${chatHandle} with from and to reads it`,
  );
  if (fitted === undefined) return { messages: [], tokens: 0 };
  const shown: ViewMessage = { role: "user", content: [{ type: "text", text: fitted.text }] };
  return { messages: [shown], tokens: messageTokens(shown, estimator) };
}

/** An assistant's message with its results stays together. */
function stepGroups(messages: readonly ViewMessage[]): ViewMessage[][] {
  const groups: ViewMessage[][] = [];
  for (const message of messages) {
    if (message.role === "toolResult") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups;
}

const poolTitle =
  "Known objects: handle, name, size in characters (activate HANDLE shows one's content).";

/** A line of the pool with its tokens, kept with the entry that it was made from. */
interface KeptLine {
  readonly line: string;
  readonly tokens: number;
  readonly workspace: string;
  readonly estimator: TokenEstimator;
}

const keptLines = new WeakMap<PoolEntry, KeptLine>();

function keptLine(entry: PoolEntry, { workspace, estimator }: LayoutInput): KeptLine {
  const kept = keptLines.get(entry);
  if (kept?.workspace === workspace && kept.estimator === estimator) return kept;
  const line = poolLine(entry, workspace);
  const made = { line, tokens: estimator.text(`${line}\n`), workspace, estimator };
  keptLines.set(entry, made);
  return made;
}

/** What share of a budget is kept for the list of known objects; active content comes before the rest of it. */
const listShare = 0.2;

function listRoom(input: LayoutInput): number {
  const { tokens } = wholePool(input);
  return input.budget === undefined
    ? tokens
    : Math.min(tokens, Math.floor(input.budget * listShare));
}

function wholePool(input: LayoutInput): Rendered & { readonly lines: readonly KeptLine[] } {
  const lines: KeptLine[] = [];
  for (const entry of input.pool.values()) lines.push(keptLine(entry, input));
  if (lines.length === 0) return { lines, messages: [], tokens: 0 };
  return { lines, ...poolMessage(lines, 0, input) };
}

function fitPool(input: LayoutInput, spent: number): Rendered {
  const { lines, ...whole } = wholePool(input);
  if (lines.length === 0) return whole;
  if (input.budget === undefined || spent + whole.tokens <= input.budget) return whole;
  let start = 0;
  while (start < lines.length) {
    start += Math.max(1, Math.ceil((lines.length - start) * 0.2));
    const part = poolMessage(lines.slice(start), start, input);
    if (spent + part.tokens <= input.budget) return part;
  }
  return { messages: [], tokens: 0 };
}

function poolMessage(lines: readonly KeptLine[], left: number, input: LayoutInput): Rendered {
  const note = `(${left} earlier objects are not listed; activate takes their paths and handles)`;
  const head = left === 0 ? poolTitle : `${poolTitle}\n${note}`;
  let text = head;
  let tokens = input.estimator.text(head) + 4;
  for (const line of lines) {
    text += `\n${line.line}`;
    tokens += line.tokens;
  }
  return { messages: [{ role: "user", content: [{ type: "text", text }] }], tokens };
}

/** The active content in order of activation, and at its end the sets. What does not fit is shown in part or left out. */
function renderActive(
  input: LayoutInput,
  spent: number,
): Rendered & { readonly shown: readonly ShownObject[] } {
  const { active, estimator, budget } = input;
  if (active.length === 0) return { messages: [], tokens: 0, shown: [] };
  // The line is at its longest where nothing at all has room.
  let room =
    budget === undefined
      ? Number.POSITIVE_INFINITY
      : budget - spent - estimator.text(setsLine(active, active)) - 4;
  if (room < 0) {
    return {
      messages: [],
      tokens: 0,
      shown: active.map(({ entry }) => ({ id: entry.id, as: "left-out" as const })),
    };
  }
  const blocksById = new Map<ObjectId, readonly Block[]>();
  const shown = new Map<ObjectId, ShownObject["as"]>();
  for (const object of byImportance(active)) {
    const fitted = fitObject(object, input, room);
    blocksById.set(object.entry.id, fitted.blocks);
    shown.set(object.entry.id, fitted.as);
    room -= fitted.blocks.length === 0 ? 0 : contentTokens(fitted.blocks, estimator);
  }
  const leftOut = active.filter(({ entry }) => blocksById.get(entry.id)?.length === 0);
  const tail: Block = { type: "text", text: setsLine(active, leftOut) };
  const content = [...active.flatMap(({ entry }) => blocksById.get(entry.id) ?? []), tail];
  const message: ViewMessage = { role: "user", content };
  return {
    messages: [message],
    tokens: messageTokens(message, estimator),
    shown: active.map(({ entry }) => ({ id: entry.id, as: shown.get(entry.id) ?? "left-out" })),
  };
}

/** Pinned first, then the newest activated first (decision D54). */
function byImportance(active: readonly ActiveObject[]): readonly ActiveObject[] {
  return [
    ...active.filter(({ isPinned }) => isPinned),
    ...active.filter(({ isPinned }) => !isPinned).toReversed(),
  ];
}

interface FittedObject {
  readonly blocks: readonly Block[];
  readonly as: ShownObject["as"];
}

function fitObject(object: ActiveObject, input: LayoutInput, room: number): FittedObject {
  const { entry, stored, range } = object;
  const { workspace, estimator } = input;
  const text = stored.body.content;
  const images = imagesOf(object);
  const whole: Block[] = [
    {
      type: "text",
      text:
        text === null
          ? blockHeader(entry, workspace, undefined, 0)
          : textBlock(entry, workspace, text, range),
    },
    ...images,
  ];
  if (room === Number.POSITIVE_INFINITY || contentTokens(whole, estimator) <= room)
    return { blocks: whole, as: "whole" };
  const note = `activate ${entry.handle} with from and to shows a part`;
  const header = blockHeader(
    entry,
    workspace,
    range,
    range === undefined ? 0 : lineCount(text ?? ""),
  );
  const missing = images.length === 0 ? "" : `: no room for its images (${images.length})`;
  const fitted =
    text === null
      ? undefined
      : fitText(
          range === undefined ? text : linesOf(text, range),
          room - estimator.text(`${header}${missing}\n~~~~\n\n~~~~`) - 2,
          estimator,
          note,
        );
  if (fitted === undefined) {
    const line: Block = { type: "text", text: `${header}: no room to show it; ${note}` };
    return { blocks: contentTokens([line], estimator) <= room ? [line] : [], as: "left-out" };
  }
  const part: Block = { type: "text", text: `${header}${missing}\n${fenced(fitted.text)}` };
  return contentTokens([part], estimator) <= room
    ? { blocks: [part], as: "part" }
    : { blocks: [], as: "left-out" };
}

function imagesOf({ stored }: ActiveObject): readonly Block[] {
  const blocks = stored.body["blocks"];
  return Array.isArray(blocks) ? (blocks as readonly Block[]).filter(isImage) : [];
}

/** The sets as the model is told them (decision D44), and what of them had no room at all (decision D54). */
function setsLine(active: readonly ActiveObject[], leftOut: readonly ActiveObject[]): string {
  const pinned = active.filter(({ isPinned }) => isPinned);
  const parts = [handlesOf("Active", active), handlesOf("Pinned", pinned)];
  return [...parts, handlesOf("No room for", leftOut)].filter((part) => part !== "").join(" ");
}

function handlesOf(name: string, objects: readonly ActiveObject[]): string {
  if (objects.length === 0) return "";
  return `${name}: ${objects.map(({ entry }) => entry.handle).join(" ")}.`;
}
