import { boundedMap } from "@self-context-manager/core/host";

import { cutMark } from "./cut-texts.ts";
import { textsOf } from "./message-texts.ts";
import type { OpenClawMessage } from "./openclaw-messages.ts";

/**
 * Keeps the whole texts of results until they are stored. OpenClaw shows and writes only the beginning of a long one, after
 * plugins have had it.
 */
export interface WholeResults {
  /** A tool has returned this text. */
  returned(callId: string, text: string): void;
  /** Returns a message that the host writes: a result with its whole text, if the host cut it and changed nothing else. */
  written(place: string, message: OpenClawMessage): OpenClawMessage;
  /** Returns a message of a session's history, with its whole text if it is not stored yet. */
  listed(place: string, message: OpenClawMessage): OpenClawMessage;
  /** The results of a session are stored. */
  stored(place: string): void;
}

/** The number of results that are kept until they are written, and then until they are stored. */
const mostKept = 64;

export function wholeResults(): WholeResults {
  const returned = boundedMap<string, string>(mostKept);
  /** By the place of the session and the time of the result: the id of a call changes after its turn. */
  const written = boundedMap<string, string>(mostKept);
  return {
    returned(callId, text) {
      returned.set(callId, text);
    },
    written(place, message) {
      const { toolCallId, timestamp } = message;
      if (typeof toolCallId !== "string") return message;
      const wholeText = returned.get(toolCallId);
      returned.delete(toolCallId);
      const [text = "", another] = textsOf(message);
      const isCut = another === undefined && cutMark.test(text);
      const begins = wholeText?.startsWith(text.replace(cutMark, "").trimEnd()) === true;
      if (wholeText === undefined || !isCut || !begins) return message;
      written.set(nameOf(place, timestamp), wholeText);
      return { ...message, wholeText };
    },
    listed(place, message) {
      if (written.size === 0 || message.role !== "toolResult") return message;
      const wholeText = written.get(nameOf(place, message["timestamp"]));
      return wholeText === undefined ? message : { ...message, wholeText };
    },
    stored(place) {
      const names = [...written.keys()].filter((name) => name.startsWith(nameOf(place, "")));
      for (const name of names) written.delete(name);
    },
  };
}

function nameOf(place: string, timestamp: unknown): string {
  return `${place} ${String(timestamp)}`;
}
