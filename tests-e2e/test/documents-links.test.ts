import { testScale } from "@self-context-manager/store-contract";
import { describe } from "vitest";

import { linkTests } from "../src/documents/link-tests.ts";
import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

// A long run also has these tests on XTDB, in `stores-xtdb.test.ts`, which has a node.
describe.each([
  { name: "memory", createPlace: memoryPlace },
  { name: "sqlite", createPlace: sqlitePlace },
])("links in a store: $name", ({ createPlace }) => {
  linkTests(createPlace, { runs: testScale.isLong ? 60 : 25, timeLimit: 120_000 });
});
