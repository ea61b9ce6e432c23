import {
  harnessContract,
  scriptedCodecs,
  scriptedHarnessAdapter,
} from "@self-context-manager/testkit";

import { scriptedHost } from "../src/harness/scripted-host.ts";

const { supports } = scriptedHarnessAdapter;

for (const [name, codec] of Object.entries(scriptedCodecs)) {
  harnessContract({
    name: `scripted, messages identified by ${name}`,
    supports,
    openHost: scriptedHost({ codec }),
  });
}

for (const settings of ["specification", "pooled"] as const)
  harnessContract({ name: "scripted", supports, settings, openHost: scriptedHost() });

// The view keeps messages that the host has dropped. Without the context manager, the host sends only the rest of its
// list.
const dropped = "the host itself has dropped the messages that the law checks";
harnessContract({
  name: "scripted, with a sliding list",
  supports: { ...supports, branches: false },
  knownGaps: {
    "unknown-messages-pass": dropped,
    "failure-lets-through": dropped,
    "off-switch-passes-through": dropped,
  },
  openHost: scriptedHost({ keeps: 1 }),
});
