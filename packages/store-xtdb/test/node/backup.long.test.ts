// If the machine has no Java, the test is skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { objectStoreLaws, type StorePlace } from "@self-context-manager/store-contract";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

import {
  backupNode,
  joinNode,
  openLocalXtdbStore,
  restoreNode,
  stopNode,
} from "../../src/index.ts";
import { missingTools } from "../test-node.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const missing = missingTools();
const quick = { quick: true, linger: 500 };

// Each backup needs a node of its own, so the law is not one of those that each store must keep in a short run.
it.skipIf(missing !== undefined)(
  `backup-is-whole${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: 1_800_000 },
  async () => {
    await expect(objectStoreLaws["backup-is-whole"](placeWithBackups)).resolves.toBeUndefined();
  },
);

async function placeWithBackups(): Promise<StorePlace> {
  const folder = await temporaryFolder();
  const dataFolder = join(folder.path, "data");
  const node = await joinNode({ ...quick, dataFolder });
  return {
    ...nodePlace(dataFolder),
    child: [
      process.execPath,
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("../store-child.ts", import.meta.url)),
      node.url,
      node.token,
      "scm",
    ],
    async backup() {
      const copy = await temporaryFolder();
      await backupNode(dataFolder, join(copy.path, "backup.db"));
      await restoreNode(join(copy.path, "backup.db"), join(copy.path, "data"));
      return withFolder(nodePlace(join(copy.path, "data")), copy);
    },
    async [Symbol.asyncDispose]() {
      await node.leave();
      await withFolder(nodePlace(dataFolder), folder)[Symbol.asyncDispose]();
    },
  };
}

function nodePlace(dataFolder: string): StorePlace {
  return {
    open: async (options = {}) => await openLocalXtdbStore({ ...quick, ...options, dataFolder }),
    async [Symbol.asyncDispose]() {
      await stopNode(dataFolder);
    },
  };
}

function withFolder(place: StorePlace, folder: AsyncDisposable): StorePlace {
  return {
    ...place,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
