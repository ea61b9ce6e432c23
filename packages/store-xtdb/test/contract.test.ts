// If the machine has no Java, the laws are skipped with a warning.
/* oxlint-disable vitest/no-conditional-tests, vitest/no-disabled-tests */
import { objectStoreContract } from "@self-context-manager/store-contract";
import { it } from "vitest";

import { testNode } from "./test-node.ts";
import { xtdbPlaces } from "./xtdb-place.ts";

const node = await testNode();

if ("missing" in node) {
  it.skip(`object store xtdb: ${node.missing}`, () => undefined);
} else {
  objectStoreContract({
    name: "xtdb",
    supports: { durable: true, shared: true, losable: false, lockable: false },
    createPlace: xtdbPlaces(node),
  });
}
