import {
  callsOf,
  leftOutOf,
  type LayoutInput,
  type MessagePlace,
  placesOf,
} from "@self-context-manager/core/layout";
import { isText, type ViewMessage } from "@self-context-manager/core";

import type { PlayedCall } from "./play-session.ts";
import { shownContents } from "./shown-contents.ts";

/** Returns what a view shows of the messages that are left out. Messages are recognised by their times and calls. */
export function leftOutFaults({ input, output }: PlayedCall): readonly string[] {
  const leftOut = leftOutOf(input.leftOut ?? []);
  return placesOf(input.turns, leftOut).flatMap((place) => faultsAt(place, input, output.messages));
}

function faultsAt(
  place: MessagePlace,
  input: LayoutInput,
  messages: readonly ViewMessage[],
): readonly string[] {
  const { turn, step, call } = place;
  const name = [turn, step, ...(call === undefined ? [] : [call])].join(".");
  const said = input.turns[turn];
  if (said === undefined) return [];
  if (step === -1) {
    const isThere = messages.some(
      (message) => message.role === "user" && message.timestamp === said.timestamp,
    );
    return isThere ? [`the user message ${name} is shown`] : [];
  }
  const found = said.steps[step];
  if (found === undefined) return [];
  const calls = callsOf(found);
  if (call === undefined) {
    const time = "opaque" in found ? found.timestamp : found.assistant_meta["timestamp"];
    const role = "opaque" in found ? "opaque" : "assistant";
    const ids = new Set(calls.map(({ id }) => id));
    return messages.flatMap((message) => {
      if (message.role === role && message.timestamp === time) return [`message ${name} is shown`];
      return message.role === "toolResult" && ids.has(message.toolCallId)
        ? [`a result of message ${name} is shown`]
        : [];
    });
  }
  const id = calls[call]?.id;
  return messages.flatMap((message, index) => {
    if (message.role !== "toolResult" || message.toolCallId !== id) return [];
    const hasContent = shownContents(messages, input).some((shown) => shown.index === index);
    const hasImage = typeof message.content !== "string" && !message.content.every(isText);
    return hasContent || hasImage ? [`the result ${name} is shown`] : [];
  });
}
