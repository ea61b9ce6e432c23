import { testScale } from "@self-context-manager/store-contract";
import { checkScope } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { indexedStore } from "../src/scope/scope-stores.ts";
import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

const runs = caseCount({ long: 500, changed: 60, unchanged: 10 });
/** A store on the disk is slower, and what is reached does not depend on it. */
const runsOnDisk = caseCount({ long: 100, changed: 15, unchanged: 4 });
const timeout = testScale.isLong ? 3_600_000 : 240_000;

describe.each([
  ["memory", memoryPlace, runs],
  ["sqlite", sqlitePlace, runsOnDisk],
] as const)("two workspaces on one %s store", (_, createPlace, count) => {
  it(`show nothing of each other (SCM_SEED=${testScale.seed})`, { timeout }, async () => {
    await expect(
      checkScope({ openStore: indexedStore(createPlace), runs: count }),
    ).resolves.toBeUndefined();
  });
});
