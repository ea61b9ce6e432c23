// If the machine has no Java, the test is skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { sample } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

import { openXtdbStore } from "../../src/index.ts";
import { storeParts } from "../../src/store-parts.ts";
import { testNode } from "../test-node.ts";

const node = await testNode();

it.skipIf("missing" in node)(
  "lists each version, also one that cannot be read, and the place of a missing one",
  async () => {
    if ("missing" in node) throw new TypeError(node.missing);
    const place = { ...node, space: `list-${process.pid}`, timeout: 60_000 };
    await using store = await openXtdbStore(place);
    for (const count of [1, 2]) {
      await store.commit([
        { object: sample("a/1", { count }) },
        { object: sample("b", { count }) },
      ]);
    }
    const { client, names } = storeParts(place);
    const changed = names.versionId("b", 1);
    const document = (await client.entity(changed, client.budget())) as { "xt/id": string };
    await client.submit(
      [
        ["put", { ...document, [names.attribute("tx")]: 77 }],
        ["delete", names.versionId("a/1", 2)],
      ],
      client.budget(),
    );

    expect(await store.listVersions()).toEqual({
      versions: [
        { id: "a/1", version: 1 },
        { id: "b", version: 1 },
        { id: "b", version: 2 },
      ],
      missing: [3],
    });
  },
);
