import {
  harnessContract,
  scriptedCodecs,
  scriptedHarnessAdapter,
} from "@self-context-manager/testkit";

import { scriptedHost } from "../src/harness/scripted-host.ts";

const { supports } = scriptedHarnessAdapter;

for (const [name, codec] of Object.entries(scriptedCodecs)) {
  harnessContract({
    name: `scripted, messages told by ${name}`,
    supports,
    openHost: scriptedHost({ codec }),
  });
}

harnessContract({ name: "scripted", supports, layout: "pooled", openHost: scriptedHost() });

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
