import type { Message, MessageCodec } from "@self-context-manager/core";

import { scriptedCodec } from "./scripted-codec.ts";
import type { ScriptedMessage } from "./scripted-message.ts";

/** How a host's messages are recognised: by ids, by times and roles, or only by their content. */
export type IdentifiedBy = "ids" | "times" | "nothing";

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
  nothing: {
    identify: (message) => {
      const { key: _, timestamp: __, ...identity } = scriptedCodec.identify(message);
      return identity;
    },
    decode: (message): Message => {
      const { timestamp: _, ...rest } = scriptedCodec.decode(message);
      return rest;
    },
  },
};
