// If the machine has no Java, the test is skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { openLocalXtdbStore, stopNode } from "../../src/index.ts";
import { missingTools } from "../test-node.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const missing = missingTools();

it.skipIf(missing !== undefined)(
  `a document that the node cannot decode is damage, and hides no other version${missing === undefined ? "" : `: ${missing}`}`,
  async () => {
    await using folder = await temporaryFolder();
    const dataFolder = join(folder.path, "data");
    const open = () => openLocalXtdbStore({ dataFolder, quick: true, linger: 500 });
    {
      await using store = await open();
      for (const count of [1, 2]) {
        await store.commit([{ object: sample("a", { count, content: `text ${count}` }) }]);
        await store.commit([{ object: sample("b", { count, content: `text ${count}` }) }]);
      }
    }
    await stopNode(dataFolder);
    const database = new DatabaseSync(join(dataFolder, "golden.db"));
    const { changes } = database
      .prepare(
        "UPDATE tx_events SET v = zeroblob(length(v)) WHERE topic = 'docs' AND instr(v, CAST('scm/version/2/a' AS BLOB))",
      )
      .run();
    database.close();

    await using store = await open();
    const started = performance.now();
    const damaged = store.get(objectId("a"), { version: 2 });

    expect(changes).toBeGreaterThan(0);
    await expect(damaged).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringMatching(/cannot be decoded; scm doctor shows what is damaged/u),
    });
    // It is not asked for again until the time of the call has passed.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await store.get(objectId("a"), { version: 1 }))?.body.content).toBe("text 1");
    expect((await store.get(objectId("b")))?.body.content).toBe("text 2");
    const { versions, skipped } = await store.changesSince(undefined, { skipDamaged: true });
    expect(versions.map(({ body, version }) => `${body.id}@${version}`)).toEqual([
      "a@1",
      "b@1",
      "b@2",
    ]);
    expect(skipped).toBe(1);
    await stopNode(dataFolder);
  },
  120_000,
);
