import { isText, textOf } from "../../chat/message.ts";
import type { TurnPosition } from "../../chat/turn.ts";
import type { TokenEstimator } from "../../cost/token-estimator.ts";
import { missingMessages, omissionNotices } from "../../lines/notices.ts";
import { omissionMarks } from "../../lines/stand-ins.ts";
import { replacingMessage } from "../../render/step-content.ts";
import { fitText } from "../../render/fit-text.ts";
import { userText } from "../../render/user-text.ts";
import { contentTokens, messageTokens } from "../../render/message-tokens.ts";
import { filledShare } from "../../view/filled-share.ts";
import type { LayoutInput, ViewMessage } from "../../view/layout.ts";
import { concatRendered, type Rendered, stepMessages, turnMessages } from "./chat-messages.ts";

/** What the chat leaves room for, and where it begins at the earliest. */
export interface ChatRoom {
  /** The tokens of contents that go before older turns. */
  readonly ahead: number;
  /** The tokens of all that is shown beside the chat if it fits. */
  readonly beside: number;
  /** The first turn that may be shown, from 1; undefined if all may. The newest turn is shown in any case. */
  readonly firstTurn: number | undefined;
}

export interface RenderedChat extends Rendered {
  /** The first turn that is shown, from 1; undefined if no turn had to leave. */
  readonly firstTurn?: number;
}

/**
 * Returns the messages of the chat that fit the budget. The newest user message is always shown, at least in part. The
 * oldest turns leave first.
 */
export function chatPool(input: LayoutInput, room: ChatRoom): RenderedChat {
  return fitChat(input, renderChat(input), room);
}

/**
 * The messages of one or more turns that leave together. A turn without a user message leaves with the turn before it.
 */
interface RenderedTurn extends Rendered {
  readonly first: number;
  readonly last: number;
}

function renderChat(input: LayoutInput): readonly RenderedTurn[] {
  const { turns, estimator, compaction } = input;
  const from = compaction?.from ?? { turn: 0, step: -1 };
  const rendered: RenderedTurn[] = [];
  if (compaction !== undefined) {
    const messages = compaction.messages.map(({ message }) => replacingMessage(message));
    rendered.push({ first: 0, last: 0, ...renderedMessages(messages, estimator) });
  }
  for (const [index, turn] of turns.entries()) {
    if (index < from.turn) continue;
    const isWhole = isAtOrAfter({ turn: index, step: -1 }, from);
    const whole = isWhole
      ? turnMessages(turn, input)
      : concatRendered(turn.steps.slice(from.step).map((step) => stepMessages(step, input)));
    const earlier = whole.messages[0]?.role === "user" ? undefined : rendered.at(-1);
    if (earlier !== undefined && earlier.last > 0) {
      rendered[rendered.length - 1] = {
        ...concatRendered([earlier, whole]),
        first: earlier.first,
        last: index + 1,
      };
    } else {
      rendered.push({ first: index + 1, last: index + 1, ...whole });
    }
  }
  return startedByUser(rendered, estimator);
}

const missingUserMessage: ViewMessage = {
  role: "user",
  content: [{ type: "text", text: missingMessages.user.write() }],
};

/** Adds a notice if the chat begins with an answer, because providers require a user message first. */
function startedByUser(
  turns: readonly RenderedTurn[],
  estimator: TokenEstimator,
): readonly RenderedTurn[] {
  const index = turns.findIndex(({ messages }) => messages.length > 0);
  const turn = turns[index];
  if (turn?.messages[0]?.role !== "assistant") return turns;
  const begun = concatRendered([renderedMessages([missingUserMessage], estimator), turn]);
  return turns.with(index, { ...turn, ...begun });
}

function renderedMessages(messages: readonly ViewMessage[], estimator: TokenEstimator): Rendered {
  return {
    messages,
    tokens: messages.reduce((sum, message) => sum + messageTokens(message, estimator), 0),
  };
}

function isAtOrAfter(position: TurnPosition, from: TurnPosition): boolean {
  return position.turn > from.turn || (position.turn === from.turn && position.step >= from.step);
}

/**
 * Removes the oldest whole turns if the chat, with the contents that go before them, exceeds the budget, until they
 * leave room for the calls that follow. One notice replaces them.
 */
function fitChat(
  input: LayoutInput,
  turns: readonly RenderedTurn[],
  { ahead, beside, firstTurn = 0 }: ChatRoom,
): RenderedChat {
  const { budget, estimator } = input;
  let total = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  if (budget === undefined) return concatRendered(turns);
  const first = total + beside <= budget * filledShare ? 0 : firstTurn;
  if (total + ahead <= budget && (turns[0]?.first ?? 0) >= first) return concatRendered(turns);
  const last = turns.at(-1)?.last ?? 0;
  const room = budget - messageTokens(omittedTurnsMessage(input, last, last), estimator);
  let gone = 0;
  const leaveWhile = (isNeeded: () => boolean): void => {
    for (; gone < turns.length - 1 && isNeeded(); gone += 1) total -= turns[gone]?.tokens ?? 0;
  };
  leaveWhile(() => (turns[gone]?.first ?? 0) < first);
  if (total + ahead > room) leaveWhile(() => total + ahead > budget * filledShare);
  const rest = turns.slice(gone);
  if (gone === 0) return total <= budget ? concatRendered(turns) : fitTurn(input, rest[0], budget);
  const line = omittedTurnsMessage(input, turns[0]?.first ?? 1, turns[gone - 1]?.last ?? 1);
  const left = renderedMessages([line], estimator);
  const begin = { firstTurn: rest[0]?.first ?? 1 };
  if (total <= room) return { ...concatRendered([left, ...rest]), ...begin };
  const user = rest[0]?.messages[0];
  const least = user?.role === "user" ? messageTokens(user, estimator) : room;
  if (least > room) return { ...fitTurn(input, rest[0], budget), ...begin };
  return { ...concatRendered([left, fitTurn(input, rest[0], room)]), ...begin };
}

function omittedTurnsMessage(input: LayoutInput, first: number, last: number): ViewMessage {
  const text = omissionNotices.turns.write(Math.max(1, first), last, input.chatHandle);
  return { role: "user", content: [{ type: "text", text }] };
}

/** Returns the part of the last turn that fits: the newest user message first, then the newest steps. */
function fitTurn(input: LayoutInput, turn: RenderedTurn | undefined, budget: number): Rendered {
  const { estimator } = input;
  const messages = turn?.messages ?? [];
  const first = messages[0] ?? missingUserMessage;
  const isUser = first.role === "user";
  const begin = isUser
    ? fitUser(first, input, budget)
    : renderedMessages([missingUserMessage], estimator);
  if (begin.messages.length === 0 || begin.tokens > budget) return { messages: [], tokens: 0 };
  const groups = messagesByStep(isUser ? messages.slice(1) : messages);
  const rest = (turn?.tokens ?? 0) - (isUser ? messageTokens(first, estimator) : 0);
  if (begin.tokens + rest <= budget)
    return { messages: [...begin.messages, ...groups.flat()], tokens: begin.tokens + rest };
  const longest = renderedMessages([omittedStepsMessage(input, groups.length)], estimator).tokens;
  const hasLine = begin.tokens + longest <= budget;
  const kept: Rendered[] = [];
  let tokens = begin.tokens + (hasLine ? longest : 0);
  for (const step of groups.toReversed()) {
    const group = renderedMessages(step, estimator);
    if (tokens + group.tokens > budget) break;
    kept.unshift(group);
    tokens += group.tokens;
  }
  const line = omittedStepsMessage(input, groups.length - kept.length);
  return concatRendered([
    begin,
    ...(hasLine ? [renderedMessages([line], estimator)] : []),
    ...kept,
  ]);
}

function omittedStepsMessage({ chatHandle }: LayoutInput, count: number): ViewMessage {
  const text = omissionNotices.steps.write(count, chatHandle);
  return { role: "user", content: [{ type: "text", text }] };
}

function fitUser(message: ViewMessage, input: LayoutInput, budget: number): Rendered {
  const { estimator, chatHandle } = input;
  if (messageTokens(message, estimator) <= budget)
    return { messages: [message], tokens: messageTokens(message, estimator) };
  const content = message.role === "user" ? message.content : "";
  const files = typeof content === "string" ? [] : content.filter((block) => !isText(block));
  const spent = contentTokens(files, estimator);
  const mark = (omitted: number): string => omissionMarks.message.write(omitted, chatHandle);
  const attempts =
    files.length === 0 ? [] : [{ text: textOf(content), kept: files, room: budget - spent - 8 }];
  for (const { text, kept, room } of [
    ...attempts,
    { text: userText(content), kept: [], room: budget - 8 },
  ]) {
    const fitted = fitText(text, Math.max(0, room), estimator, mark);
    if (fitted === undefined || room <= 0) continue;
    const shown: ViewMessage = {
      role: "user",
      content: [{ type: "text", text: fitted.text }, ...kept],
    };
    return { messages: [shown], tokens: messageTokens(shown, estimator) };
  }
  return { messages: [], tokens: 0 };
}

/** Groups messages so that an answer and its results are together. */
function messagesByStep(messages: readonly ViewMessage[]): ViewMessage[][] {
  const groups: ViewMessage[][] = [];
  for (const message of messages) {
    if (message.role === "toolResult") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups;
}
