import { runsEveryForm } from "@self-context-manager/store-contract";
import {
  harnessContract,
  hostSettings,
  scriptedCodecs,
  scriptedHarnessAdapter,
} from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { scriptedHost } from "../src/harness/scripted-host.ts";
import { scriptedLaws } from "../src/harness/scripted-laws.ts";

const { supports } = scriptedHarnessAdapter;

/** The ways in which messages are identified, all if core has changed. `list-changes.test.ts` has all in each run. */
const ways = Object.entries(scriptedCodecs).filter(
  ([name]) => name === "ids" || name === "nothing" || runsEveryForm("core"),
);
for (const [name, codec] of ways) {
  harnessContract({
    name: `scripted, messages identified by ${name}`,
    supports,
    openHost: scriptedHost({ codec }),
  });
}

describe.each(hostSettings)("connect, settings: %s", (settings) => {
  it.each(Object.entries(scriptedLaws))("%s", async (_, law) => {
    await expect(law({}, settings)).resolves.toBeUndefined();
  });
});

harnessContract({
  name: "scripted, with another name of the tool that reads files",
  supports,
  openHost: scriptedHost({ readTool: "open_file", codec: scriptedCodecs.nothing }),
});

harnessContract({
  name: "scripted",
  supports,
  settings: "specification",
  openHost: scriptedHost(),
});

harnessContract({
  name: "scripted",
  supports,
  settings: "pooled",
  knownGaps: { "no-more-than-the-host": "the metadata pool has a line for every known object" },
  openHost: scriptedHost(),
});

// The view keeps messages that the host has dropped. Without the context manager, the host sends only the rest of its
// list.
const dropped = "the host itself has dropped the messages that the law checks";
const sliding = Object.entries(scriptedCodecs).filter(
  ([name]) => name === "nothing" || runsEveryForm("core"),
);
for (const [name, codec] of sliding) {
  harnessContract({
    name: `scripted, with a sliding list, messages identified by ${name}`,
    supports: { ...supports, branches: false },
    knownGaps: {
      "unknown-messages-pass": dropped,
      "reasoning-is-kept": dropped,
      "failure-lets-through": dropped,
      "silent-store-delays-nothing": dropped,
      "off-switch-passes-through": dropped,
      "request-changes-are-followed": dropped,
      "compaction-by-the-user-frees": dropped,
      "fork-keeps-contents": dropped,
    },
    openHost: scriptedHost({ keeps: 1, codec }),
  });
}
