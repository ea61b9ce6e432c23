import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

import {
  backupNode,
  joinNode,
  nodeStatus,
  prepareNode,
  restoreNode,
  startNode,
  type StartedNode,
  stopNode,
} from "../../src/node/index.ts";
import { isAlive, untilGone } from "../../src/node/processes.ts";
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
    "processes that join share one node, which ends after the last has left or was killed",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = folder.path;
      const [first, second] = await Promise.all([child(dataFolder), child(dataFolder)]);
      const together = await nodeStatus(dataFolder);

      first.process.kill("SIGKILL");
      await once(first.process, "exit");
      const joined = await joinNode({ ...quick, dataFolder });
      await joined.leave();
      const withOne = await nodeStatus(dataFolder);
      second.process.kill("SIGKILL");

      expect(second.pid).toBe(first.pid);
      expect(together.users).toEqual(
        [first.process.pid, second.process.pid].toSorted((a, b) => Number(a) - Number(b)),
      );
      expect(withOne).toMatchObject({ state: "running", users: [second.process.pid] });
      expect(await untilGone(first.pid, 20_000)).toBe(true);
      expect(await nodeStatus(dataFolder)).toMatchObject({ state: "stopped", users: [] });
    },
    startsTimeout,
  );

  test(
    "a kept node keeps running after the last process has left, until it is stopped",
    async () => {
      await using folder = await temporaryFolder();
      const joined = await joinNode({ ...quick, dataFolder: folder.path, keep: true });
      await joined.leave();

      const stays = !(await untilGone(joined.pid, 3000));
      const kept = await nodeStatus(folder.path);
      const stopped = await stopNode(folder.path);

      expect(stays).toBe(true);
      expect(kept).toMatchObject({ state: "running", kept: true, users: [] });
      expect([stopped, isAlive(joined.pid), await stopNode(folder.path)]).toEqual([
        true,
        false,
        false,
      ]);
    },
    startsTimeout,
  );

  test(
    "a second start on the same folder is refused while the first runs",
    async () => {
      await using folder = await temporaryFolder();
      await using node = await startNode({ ...quick, dataFolder: folder.path });

      await expect(startNode({ ...quick, dataFolder: folder.path })).rejects.toMatchObject({
        code: "NODE_RUNNING",
        message: expect.stringContaining(String(node.pid)),
      });
    },
    startsTimeout,
  );

  test("data of another version or an unknown engine is refused", async () => {
    await using folder = await temporaryFolder();
    const newer = join(folder.path, "newer");
    const foreign = join(folder.path, "foreign");
    const record = { format: 1, engine: "xtdb", version: "1.99.0", storage: "sqlite" };
    await Promise.all([mkdir(newer), mkdir(foreign)]);
    await writeFile(join(newer, "engine.json"), JSON.stringify(record));
    await writeFile(join(foreign, "golden.db"), "");

    await expect(startNode({ ...quick, dataFolder: newer })).rejects.toMatchObject({
      code: "ENGINE_CHANGED",
      message: expect.stringContaining("1.99.0"),
    });
    await expect(startNode({ ...quick, dataFolder: foreign })).rejects.toMatchObject({
      code: "DATA_FOREIGN",
    });
  });

  test(
    "the files of a node are accessible to its user only",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = join(folder.path, "data");
      await using _node = await startNode({ ...quick, dataFolder });

      const mode = async (name: string): Promise<string> =>
        ((await stat(join(dataFolder, name))).mode & 0o777).toString(8);

      expect([await mode("."), await mode("xtdb.edn"), await mode("node.log")]).toEqual([
        "700",
        "600",
        "600",
      ]);
      expect(await readFile(join(dataFolder, "engine.json"), "utf8")).toBe(
        `{"format":1,"engine":"xtdb","version":"1.24.5","storage":"sqlite"}\n`,
      );
      expect(existsSync(join(dataFolder, "node.json"))).toBe(true);
    },
    startsTimeout,
  );

  test(
    "acknowledged documents survive kill -9 and the deletion of the index",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = folder.path;
      const before = await startNode({ ...quick, dataFolder });
      const writing = writeUntilGone(before);
      await expect
        .poll(async () => (await wire(before).json("entity?eid=w3-20")).status, {
          timeout: 30_000,
        })
        .toBe(200);
      process.kill(before.pid, "SIGKILL");
      const acknowledged = await writing;
      await untilGone(before.pid, 10_000);

      await using again = await startNode({ ...quick, dataFolder });
      const kept = await missing(again, acknowledged);
      await again.stop();
      await rm(join(dataFolder, "index"), { recursive: true });
      await using rebuilt = await startNode({ ...quick, dataFolder });

      expect(kept).toEqual([]);
      expect(await missing(rebuilt, acknowledged)).toEqual([]);
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
      expect((await wire(again).json("status")).status).toBe(200);
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
      const txId = await wire(node).put({ "xt/id": "kept", n: 1 });
      await backupNode(dataFolder, file);
      await wire(node).put({ "xt/id": "later" });

      const restored = join(folder.path, "to");
      await restoreNode(file, restored);
      await using copy = await startNode({ ...quick, dataFolder: restored });

      expect((await wire(copy).json("entity-tx?eid=kept")).json()).toMatchObject({ txId });
      expect((await wire(copy).json("entity?eid=later")).status).toBe(404);
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
async function writeUntilGone(node: StartedNode): Promise<ReadonlyMap<string, number>> {
  const on = wire(node);
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
  node: StartedNode,
  acknowledged: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const on = wire(node);
  const lost: string[] = [];
  for (const [id, txId] of acknowledged) {
    const { status } = await on.json(`entity?eid=${id}&txId=${txId}`);
    if (status !== 200) lost.push(id);
  }
  return lost;
}

/** Starts a process that joins the node and runs until it is killed. */
async function child(
  dataFolder: string,
): Promise<{ readonly process: ChildProcess; readonly pid: number }> {
  const started = spawn(
    process.execPath,
    [
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("joining-child.ts", import.meta.url)),
      dataFolder,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = await once(started.stdout, "data");
  const { pid } = JSON.parse(String(line)) as { readonly pid: number };
  return { process: started, pid };
}
