import type { Message, MessageCodec } from "@self-context-manager/core";
import {
  harnessContract,
  scriptedCodec,
  scriptedHarnessAdapter,
  type ScriptedMessage,
} from "@self-context-manager/testkit";

import { scriptedHost } from "../src/harness/scripted-host.ts";

const { supports } = scriptedHarnessAdapter;

/** What messages may have to be told by (design §6.1): ids, times or nothing. */
const codecs: Readonly<Record<string, MessageCodec<ScriptedMessage>>> = {
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

for (const [name, codec] of Object.entries(codecs)) {
  harnessContract({
    name: `scripted, messages told by ${name}`,
    supports,
    openHost: scriptedHost({ codec }),
  });
}

// The view outlasts the host's list; what the host sends without us does not.
const dropped = "the host itself has dropped the messages that the law looks for";
harnessContract({
  name: "scripted, with a list that slides",
  supports: { ...supports, branches: false },
  knownGaps: {
    "unknown-messages-pass": dropped,
    "failure-lets-through": dropped,
    "off-switch-passes-through": dropped,
  },
  openHost: scriptedHost({ keeps: 1 }),
});
