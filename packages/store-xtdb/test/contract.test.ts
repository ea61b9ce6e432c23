// Where the machine has no Java the laws are not tried, and the run says so.
/* oxlint-disable vitest/no-conditional-tests, vitest/no-disabled-tests */
import { objectStoreContract } from "@self-context-manager/testkit";
import { it } from "vitest";

import { testNode } from "./test-node.ts";
import { xtdbPlaces } from "./xtdb-place.ts";

const node = await testNode();

if ("missing" in node) {
  it.skip(`object store xtdb: ${node.missing}`, () => undefined);
} else {
  objectStoreContract({
    name: "xtdb",
    supports: { durable: true, shared: true },
    createPlace: xtdbPlaces(node.url),
  });
}
