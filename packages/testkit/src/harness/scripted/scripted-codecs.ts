import type { Message } from "@self-context-manager/core";
import type { MessageCodec, MessageIdentity } from "@self-context-manager/core/host";

import { scriptedCodec } from "./scripted-codec.ts";
import { isScriptedMessage, type ScriptedMessage } from "./scripted-message.ts";

/**
 * How a host's messages are recognised: by ids, by times and roles, or only by their content, with a fingerprint of the
 * content from the codec or without.
 */
export type IdentifiedBy = "ids" | "times" | "fingerprints" | "nothing";

/** Codecs of the scripted harness that provide more or less of the data by which messages are recognised. */
export const scriptedCodecs: Readonly<Record<IdentifiedBy, MessageCodec<ScriptedMessage>>> = {
  ids: scriptedCodec,
  times: {
    identify: (message) => {
      const { key: _, ...identity } = scriptedCodec.identify(message);
      return identity;
    },
    decode: (message) => scriptedCodec.decode(message),
  },
  fingerprints: {
    identify: (message) => {
      return { ...withoutMarks(message), fingerprint: JSON.stringify(contentOf(message)) };
    },
    decode: withoutTime,
  },
  nothing: { identify: withoutMarks, decode: withoutTime },
};

/** Returns the fields that stay the same when the harness sends the message again. */
function contentOf(message: ScriptedMessage): object {
  if (!isScriptedMessage(message)) return message;
  const { id: _, at: __, ...content } = message;
  if (content.kind !== "model") return content;
  const { tokens: ___, ...answer } = content;
  return answer;
}

function withoutMarks(message: ScriptedMessage): MessageIdentity {
  const { key: _, timestamp: __, ...identity } = scriptedCodec.identify(message);
  return identity;
}

function withoutTime(message: ScriptedMessage): Message {
  const { timestamp: _, ...rest } = scriptedCodec.decode(message);
  return rest;
}
