import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import {
  backupNode,
  joinNode,
  nodeStatus,
  prepareNode,
  restoreNode,
  startNode,
} from "../../src/node/index.ts";
import { untilGone } from "../../src/node/processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";
import { wire } from "./wire.ts";

const quick = { quick: true, linger: 500 };
/** Milliseconds for several starts on a machine that is busy with other tests. */
const startsTimeout = 90_000;

describe.skipIf(lacking !== undefined)("the life of a node", () => {
  beforeAll(async () => {
    await prepareNode();
  }, buildTimeout);

  test(
    "acknowledged documents survive kill -9 and the deletion of the index",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = folder.path;
      const before = await startNode({ ...quick, dataFolder });
      const writing = writeUntilGone(before.url);
      await expect
        .poll(async () => (await wire(before.url).json("entity?eid=w3-20")).status, {
          timeout: 30_000,
        })
        .toBe(200);
      process.kill(before.pid, "SIGKILL");
      const acknowledged = await writing;
      await untilGone(before.pid, 10_000);

      await using again = await startNode({ ...quick, dataFolder });
      const kept = await missing(again.url, acknowledged);
      await again.stop();
      await rm(join(dataFolder, "index"), { recursive: true });
      await using rebuilt = await startNode({ ...quick, dataFolder });

      expect(kept).toEqual([]);
      expect(await missing(rebuilt.url, acknowledged)).toEqual([]);
    },
    startsTimeout,
  );

  test(
    "a request for the status does not keep a node running",
    async () => {
      await using folder = await temporaryFolder();
      const joined = await joinNode({ ...quick, dataFolder: folder.path });
      await joined.leave();

      await expect
        .poll(async () => (await nodeStatus(folder.path)).state, { timeout: 20_000, interval: 100 })
        .toBe("stopped");
    },
    startsTimeout,
  );

  test(
    "a crashed node is started again for the processes that joined it",
    async () => {
      await using folder = await temporaryFolder();
      await using joined = await joinNode({ ...quick, dataFolder: folder.path });
      process.kill(joined.pid, "SIGKILL");
      await untilGone(joined.pid, 10_000);

      const again = await joined.ensure();

      expect(again.pid).not.toBe(joined.pid);
      expect((await wire(again.url).json("status")).status).toBe(200);
    },
    startsTimeout,
  );

  test(
    "a backup of a running node can be restored elsewhere, and neither overwrites a file",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = join(folder.path, "from");
      const file = join(folder.path, "backup.db");
      await using node = await startNode({ ...quick, dataFolder });
      const txId = await wire(node.url).put({ "xt/id": "kept", n: 1 });
      await backupNode(dataFolder, file);
      await wire(node.url).put({ "xt/id": "later" });

      const restored = join(folder.path, "to");
      await restoreNode(file, restored);
      await using copy = await startNode({ ...quick, dataFolder: restored });

      expect((await wire(copy.url).json("entity-tx?eid=kept")).json()).toMatchObject({ txId });
      expect((await wire(copy.url).json("entity?eid=later")).status).toBe(404);
      await expect(backupNode(dataFolder, file)).rejects.toMatchObject({ code: "BACKUP_REFUSED" });
      await expect(restoreNode(file, restored)).rejects.toMatchObject({ code: "RESTORE_REFUSED" });
    },
    startsTimeout,
  );

  test(
    "a node that cannot start is reported with the reason",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = folder.path;
      const storage = { kind: "postgres", jdbcUrl: "jdbc:postgresql://127.0.0.1:1/none" } as const;

      const started = startNode({ ...quick, dataFolder, storage });

      await expect(started).rejects.toMatchObject({
        code: "START_FAILED",
        message: expect.stringContaining("127.0.0.1:1 refused"),
      });
    },
    startsTimeout,
  );
});

/** Puts documents with four writers. Returns the transactions of those that were answered before the node died. */
async function writeUntilGone(url: string): Promise<ReadonlyMap<string, number>> {
  const on = wire(url);
  const acknowledged = new Map<string, number>();
  await Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      for (let n = 0; ; n += 1) {
        const id = `w${writer}-${n}`;
        try {
          acknowledged.set(id, await on.submit(["put", { "xt/id": id, n }]));
        } catch {
          // The node has died, which ends this writer.
          return;
        }
      }
    }),
  );
  return acknowledged;
}

/** Returns the acknowledged documents that are missing as of their transaction. */
async function missing(
  url: string,
  acknowledged: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const on = wire(url);
  const lost: string[] = [];
  for (const [id, txId] of acknowledged) {
    const { status } = await on.json(`entity?eid=${id}&txId=${txId}`);
    if (status !== 200) lost.push(id);
  }
  return lost;
}
