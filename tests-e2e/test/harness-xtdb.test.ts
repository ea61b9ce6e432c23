// Where the machine has no Java nothing is tried, and the run says so.
/* oxlint-disable vitest/no-disabled-tests, vitest/require-hook */
import { harnessContract, scriptedHarnessAdapter } from "@self-context-manager/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { scriptedHost } from "../src/harness/scripted-host.ts";
import { type MortalNode, openMortalNode } from "../src/stores/mortal-node.ts";
import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const missing = missingForXtdb();

// A store that breaks is here a node that is killed, and one that is mended a node that is started again.
describe.skipIf(missing !== undefined)(
  `on XTDB${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    let node: MortalNode;
    beforeAll(async () => {
      node = await openMortalNode();
    }, 240_000);
    afterAll(async () => {
      await node?.[Symbol.asyncDispose]();
    });

    harnessContract({
      name: "scripted, on an XTDB node",
      supports: scriptedHarnessAdapter.supports,
      openHost: async (options) =>
        await scriptedHost({ openStore: async (clock) => await node.openStore(clock) })(options),
    });

    it("lost its node where the laws break the store", () => {
      expect(node.deaths).toBe(3);
    });
  },
);
