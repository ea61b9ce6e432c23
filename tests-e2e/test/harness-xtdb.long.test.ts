// If the machine has no Java, no law is tested, and the run reports it.
/* oxlint-disable vitest/no-disabled-tests, vitest/require-hook */
import { harnessContract, scriptedHarnessAdapter } from "@self-context-manager/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { scriptedHost } from "../src/harness/scripted-host.ts";
import { type MortalNode, openMortalNode } from "../src/stores/mortal-node.ts";
import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const missing = missingForXtdb();

// Here a store breaks when its node is killed, and works again when the node is restarted.
describe.skipIf(missing !== undefined)(
  `on XTDB${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    let node: MortalNode;
    beforeAll(async () => {
      node = await openMortalNode();
    });
    afterAll(async () => {
      await node?.[Symbol.asyncDispose]();
    });

    harnessContract({
      name: "scripted, on an XTDB node",
      supports: scriptedHarnessAdapter.supports,
      openHost: async (options) =>
        await scriptedHost({ openStore: async (clock) => await node.openStore(clock) })(options),
    });

    it("had its node killed each time a law broke the store", () => {
      expect(node.deaths).toBe(5);
    });
  },
);
