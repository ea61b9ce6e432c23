import { type Block, type ReadMessage, textOf } from "@self-context-manager/core";

import { isOwnMessage, keyOf, type OpenClawMessage } from "./openclaw-messages.ts";
import { shapedAs, textsOf, withText } from "./message-texts.ts";

/** A text of a request, and the text that is sent instead. */
export interface TextSwap {
  readonly from: string;
  readonly to: string;
  /** The role of its message. */
  readonly role: string;
}

/** A view for a request of OpenClaw, which appends the messages of the current turn to those of an engine by itself. */
export interface TurnView {
  /** The messages before the current turn. */
  readonly history: readonly OpenClawMessage[];
  /** All texts of the request in their order. Those of the history stay the same. */
  readonly swaps: readonly TextSwap[];
}

/**
 * Divides a view at the beginning of the current turn. `list`: the messages as the host has them, with the same call ids as
 * in the view. `count`: the number of those before the turn.
 */
export function turnView(
  view: readonly OpenClawMessage[],
  list: readonly Pick<ReadMessage<OpenClawMessage>, "key" | "raw">[],
  count: number,
): TurnView {
  const host = new Map(list.map(({ key, raw }) => [key, raw]));
  const shaped = withoutOwnBehindOthers(view).map((message) => {
    const key = keyOf(message);
    return { key, message: shapedIn(message, host.get(key)) };
  });
  const turn = list.slice(count);
  const inTurn = new Set(turn.map(({ key }) => key));
  const found = shaped.findIndex(({ key }) => inTurn.has(key));
  const begin = found === -1 ? shaped.length : found;
  const history = shaped.slice(0, begin).map(({ message }) => message);
  const shown = new Map(shaped.slice(begin).map(({ key, message }) => [key, message]));
  return {
    history,
    swaps: [
      ...sameTexts(history),
      ...turn.flatMap(({ key, raw }) => swapsOf(raw, shown.get(key) ?? raw)),
    ],
  };
}

/** Returns the texts of a request that stay the same. */
export function sameTexts(messages: readonly OpenClawMessage[]): readonly TextSwap[] {
  return messages.flatMap((message) => swapsOf(message, message));
}

/**
 * Returns a message of a view in the shape of the host's own. It keeps this shape when the host no longer hands its message
 * over: a result then has one text, as those of OpenClaw's tools have.
 */
function shapedIn(
  message: OpenClawMessage,
  original: OpenClawMessage | undefined,
): OpenClawMessage {
  // The texts of an answer are the host's own; a fold is a block before them. So no shape depends on the host's message.
  if (message.role === "assistant") return message;
  const usual = message.role === "toolResult" ? oneText : message;
  return shapedAs(message, original ?? usual) ?? message;
}

const oneText: OpenClawMessage = { role: "toolResult", content: [{ type: "text", text: "" }] };

function swapsOf(from: OpenClawMessage, to: OpenClawMessage): readonly TextSwap[] {
  const before = textsOf(from);
  const after = textsOf(to);
  const isSwapped = before.length === after.length;
  const { role } = from;
  return before.map((text, index) => ({
    from: text,
    to: (isSwapped ? after[index] : undefined) ?? text,
    role,
  }));
}

/**
 * Returns a view in which a text of the context manager behind a prompt or a result is a part of that message. The host
 * takes no further message within its turn, and the bytes must stay the same in later turns.
 */
function withoutOwnBehindOthers(view: readonly OpenClawMessage[]): readonly OpenClawMessage[] {
  const messages: OpenClawMessage[] = [];
  for (const message of view) {
    const before = messages.at(-1);
    const takesText = before?.role === "user" || before?.role === "toolResult";
    if (before === undefined || !takesText || !isOwnMessage(message)) messages.push(message);
    else messages[messages.length - 1] = withText(before, ownText(message));
  }
  return messages;
}

function ownText({ content }: OpenClawMessage): string {
  return textOf(content as string | readonly Block[]);
}
