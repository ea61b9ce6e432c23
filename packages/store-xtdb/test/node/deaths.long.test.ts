import { objectId, StoreError } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import { joinNode, nodeStatus, prepareNode, startNode, stopNode } from "../../src/node/index.ts";
import { untilGone } from "../../src/node/processes.ts";
import { openLocalXtdbStore } from "../../src/index.ts";
import { type Fate, mortalJava } from "./mortal-java.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";
import { wire } from "./wire.ts";

const quick = { quick: true, linger: 500, indexFolder: "memory" };
/** Milliseconds for several starts on a machine that is busy with other tests. */
const startsTimeout = 180_000;
const mortal: readonly Fate[] = ["killed-at-start", "killed-at-sync", "killed-at-status"];

// The `java` of these tests is a script for a POSIX shell.
const isSkipped = lacking !== undefined || process.platform === "win32";

describe.skipIf(isSkipped)("a node that dies while processes wait for it", () => {
  beforeAll(async () => {
    await prepareNode();
  }, buildTimeout);

  test.each(mortal)(
    "%s is started again by startNode and by joinNode",
    async (fate) => {
      await using folder = await temporaryFolder();
      const java = await mortalJava(folder.path, fate, fate, "lives");
      const options = { ...quick, java: java.command };

      await using joined = await joinNode({ ...options, dataFolder: join(folder.path, "a") });
      const startsOfJoin = await java.starts();
      await java.decide(fate, "lives");
      await using started = await startNode({ ...options, dataFolder: join(folder.path, "b") });

      expect([startsOfJoin, await java.starts()]).toEqual([3, 2]);
      for (const node of [joined, started]) {
        expect((await wire(node).json("sync")).status).toBe(200);
      }
    },
    startsTimeout,
  );

  test.each(mortal)(
    "%s at each start is reported after four starts",
    async (fate) => {
      await using folder = await temporaryFolder();
      const java = await mortalJava(folder.path, fate);
      const dataFolder = join(folder.path, "data");

      const error: unknown = await joinNode({ ...quick, java: java.command, dataFolder }).catch(
        (reason: unknown) => reason,
      );

      expect(error).toMatchObject({
        name: "NodeError",
        code: "START_FAILED",
        message: expect.stringMatching(/node\.log[^]*started 4 times and ended each time/u),
      });
      expect(await java.starts()).toBe(4);
      expect(await nodeStatus(dataFolder)).toMatchObject({ state: "stopped", users: [] });
    },
    startsTimeout,
  );

  test("that ends by itself is not started again, and the error contains its output", async () => {
    await using folder = await temporaryFolder();
    const java = await mortalJava(folder.path, "ends");
    const options = { ...quick, java: java.command, dataFolder: join(folder.path, "data") };

    await expect(joinNode(options)).rejects.toMatchObject({
      code: "START_FAILED",
      message: expect.stringContaining("no such thing as a node"),
    });
    expect(await java.starts()).toBe(1);
  });

  test(
    "is started again by its client, whose call fails if the node dies at each start, and which recovers later",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = join(folder.path, "data");
      const java = await mortalJava(folder.path, "lives");
      await using store = await openLocalXtdbStore({
        quick: true,
        linger: 500,
        java: java.command,
        dataFolder,
        timeout: 120_000,
      });
      const id = objectId("a");
      await store.commit([{ object: sample("a", { count: 1 }) }]);

      await java.decide(...mortal, "lives");
      await killNode(dataFolder);
      await store.commit([{ object: sample("a", { count: 2 }), expect: 1 }]);
      const startsUntilAlive = await java.starts();
      await java.decide("killed-at-sync");
      await killNode(dataFolder);
      const error: unknown = await store.get(id).catch((reason: unknown) => reason);
      await java.decide("lives");
      // From now on each call makes one short attempt, and the client starts the node in the meantime.
      await expect
        .poll(async () => (await store.get(id).catch(() => undefined))?.version, {
          timeout: 60_000,
        })
        .toBe(2);

      expect(startsUntilAlive).toBe(4);
      expect(StoreError.is(error, "STORE_UNAVAILABLE")).toBe(true);
      expect(String(error)).toContain("started 4 times and ended each time");
      expect((await store.history(id)).map(({ body }) => body["count"])).toEqual([1, 2]);
    },
    startsTimeout,
  );

  test(
    "that runs and dies at the request for its status is started again",
    async () => {
      await using folder = await temporaryFolder();
      const dataFolder = join(folder.path, "data");
      const java = await mortalJava(folder.path, "lives");
      await (await joinNode({ ...quick, dataFolder })).leave();
      await stopNode(dataFolder);
      await java.decide("killed-at-status", "lives");
      spawn(java.command, ["xtdb.main", join(dataFolder, "xtdb.edn")], { stdio: "inherit" });
      await expect.poll(() => existsSync(join(dataFolder, "node.json"))).toBe(true);

      await using joined = await joinNode({ ...quick, java: java.command, dataFolder });

      expect(await java.starts()).toBe(2);
      expect((await wire(joined).json("sync")).status).toBe(200);
    },
    startsTimeout,
  );

  test(
    "whose index is locked by an unrecorded node is started when that node has ended",
    async () => {
      await using folder = await temporaryFolder();
      const options = { quick: true, linger: 500, dataFolder: folder.path };
      const orphan = await startNode(options);
      const runFile = join(folder.path, "node.json");
      // The same state as after the death of a process that started a node and did not yet record it.
      await rename(runFile, `${runFile}.moved`);
      const log = async (): Promise<string> =>
        await readFile(join(folder.path, "node.log"), "utf8");
      const endOrphan = async (): Promise<void> => {
        await expect.poll(log, { timeout: 60_000 }).toContain("/LOCK");
        process.kill(orphan.pid, "SIGKILL");
      };
      const ending = endOrphan();

      await using joined = await joinNode(options);
      await ending;

      expect(joined.pid).not.toBe(orphan.pid);
      expect((await wire(joined).json("sync")).status).toBe(200);
    },
    startsTimeout,
  );
});

async function killNode(dataFolder: string): Promise<void> {
  const { pid } = await nodeStatus(dataFolder);
  if (pid === undefined) throw new Error("no node runs");
  process.kill(pid, "SIGKILL");
  await untilGone(pid, 60_000);
}
