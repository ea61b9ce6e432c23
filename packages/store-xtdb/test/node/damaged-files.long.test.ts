// If the machine has no Java, the test is skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { checkDamagedReads, testScale } from "@self-context-manager/store-contract";
import { join } from "node:path";
import { expect, it } from "vitest";

import { openLocalXtdbStore, stopNode } from "../../src/index.ts";
import { missingTools } from "../test-node.ts";
import { damageFiles } from "./damage-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Number of places that are damaged, one after the other. Each takes some seconds, because the node is started again. */
const places = testScale.isLong ? 200 : 3;
const missing = missingTools();
/** Milliseconds for a call, so that a node that cannot answer does not delay all questions. */
const timeout = 4_000;
/** Milliseconds for a node to index its log, which it never does if a document of the log cannot be decoded. */
const startTimeout = 20_000;

it.skipIf(missing !== undefined)(
  `no content is wrong after damage at ${places} places of the files of a node${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 7_200_000 : 600_000 },
  async () => {
    await using folder = await temporaryFolder();
    const dataFolder = join(folder.path, "data");
    const damaged: string[] = [];

    const checked = checkDamagedReads(
      async () => ({
        open: () =>
          openLocalXtdbStore({ dataFolder, quick: true, timeout, readyTimeout: startTimeout }),
        async damage(random) {
          await stopNode(dataFolder);
          const place = await damageFiles(dataFolder, random);
          damaged.push(place.text);
          return {
            async [Symbol.asyncDispose]() {
              await stopNode(dataFolder);
              await place[Symbol.asyncDispose]();
            },
          };
        },
        async [Symbol.asyncDispose]() {
          await stopNode(dataFolder);
        },
      }),
      places,
    );

    await checked.catch((cause: unknown) => {
      throw new Error(`place ${damaged.length}: ${damaged.at(-1)}`, { cause });
    });
    expect(damaged).toHaveLength(places);
  },
);
