import { oneLine } from "@self-context-manager/objects";
import { isToolCall, type Message } from "../chat/message.ts";

/** Returns the text for the user of a message of which a part is kept as text, with the number of its turn from 1. */
export function cutMessageText(message: Message, turn: number): string {
  return `self-context-manager: ${nameOf(message)} in turn ${turn} has values nested deeper than 500 levels. Their inner part is kept as text; everything else is managed.`;
}

function nameOf(message: Message): string {
  switch (message.role) {
    case "toolResult":
      return `the result of ${toolNames([message.toolName])}`;
    case "assistant": {
      const calls = message.content.filter(isToolCall).map(({ name }) => name);
      if (calls.length === 0) return "the answer";
      return `${calls.length === 1 ? "the call" : "an answer with calls"} of ${toolNames(calls)}`;
    }
    case "user":
      return "the message of the user";
    case "opaque":
    case "summary":
      return "a message of the host";
  }
}

/** Returns the names of tools as one line of limited length, because a model or a server can have made them up. */
function toolNames(names: readonly string[]): string {
  const shown = [...new Set(names)].map((name) => oneLine(name).slice(0, longest));
  const more = shown.length > most ? ` and ${shown.length - most} more` : "";
  return `${shown.slice(0, most).join(", ")}${more}`;
}

/** The most characters of a tool's name. */
const longest = 64;

/** The most tools that are named. */
const most = 3;
