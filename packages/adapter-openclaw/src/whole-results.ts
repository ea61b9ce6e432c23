import { boundedMap } from "@self-context-manager/core/host";

import { cutMark, textsOf } from "./message-texts.ts";
import type { OpenClawMessage } from "./openclaw-messages.ts";

/** Keeps the whole texts of results. OpenClaw shows and writes only the beginning of a long one, after plugins have had it. */
export interface WholeResults {
  /** A tool has returned this text. */
  returned(callId: string, text: string): void;
  /** Returns a written result with its whole text, if the host cut it and changed nothing else. */
  completed(message: OpenClawMessage): OpenClawMessage;
}

/** The number of results that are kept until they are written. A result that is never written leaves its text. */
const mostKept = 64;

export function wholeResults(): WholeResults {
  const texts = boundedMap<string, string>(mostKept);
  return {
    returned(callId, text) {
      texts.set(callId, text);
    },
    completed(message) {
      const { toolCallId } = message;
      if (typeof toolCallId !== "string") return message;
      const wholeText = texts.get(toolCallId);
      texts.delete(toolCallId);
      const [text = "", another] = textsOf(message);
      const isCut = another === undefined && cutMark.test(text);
      const begins = wholeText?.startsWith(text.replace(cutMark, "").trimEnd()) === true;
      return isCut && begins ? { ...message, wholeText } : message;
    },
  };
}
