// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import {
  hashObject,
  objectId,
  type ObjectStore,
  type StoreError,
} from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { nodeStatus, openLocalXtdbStore, openXtdbStore, startNode } from "../src/index.ts";
import { failure } from "./failure.ts";
import { limitedJava } from "./limited-java.ts";
import { temporaryFolder } from "./node/temporary-folder.ts";
import { missingTools } from "./test-node.ts";

const missing = missingTools();
const token = "the-token-of-the-nodes-in-this-file";
const quick = { quick: true, linger: 500, token };
const a = objectId("a");

describe.skipIf(missing !== undefined)(
  `a real node in trouble${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: 180_000 },
  () => {
    it("is reported as unreachable while it is stopped, and used again after it is started", async () => {
      await using folder = await temporaryFolder();
      const node = await startNode({ ...quick, dataFolder: folder.path });
      const { url } = node;
      await using store = await openXtdbStore({ url, token, timeout: 500 });
      await store.commit([{ object: sample("a", { count: 1 }) }]);
      await node.stop();

      const down = await failure(store.commit([{ object: sample("a", { count: 2 }), expect: 1 }]));
      await using _again = await startNode({
        ...quick,
        dataFolder: folder.path,
        port: portOf(url),
      });
      await store.commit([{ object: sample("a", { count: 3 }), expect: 1 }]);

      expect(down.code).toBe("STORE_UNAVAILABLE");
      expect(down.message).toContain(
        `${url}: no server can be reached there (ECONNREFUSED); start it`,
      );
      expect(await counts(store)).toEqual([1, 3]);
    });

    it("is waited for while it is restarted", async () => {
      await using folder = await temporaryFolder();
      const node = await startNode({ ...quick, dataFolder: folder.path });
      await using store = await openXtdbStore({ url: node.url, token, timeout: 120_000 });
      await store.commit([{ object: sample("a", { count: 1 }) }]);

      const restarted = new AbortController();
      const writing = countUp(store, restarted.signal);
      await node.stop();
      const port = portOf(node.url);
      await using _again = await startNode({ ...quick, dataFolder: folder.path, port });
      await delay(100);
      restarted.abort();
      const written = await writing;

      expect(await counts(store)).toEqual(Array.from({ length: written }, (_, index) => index + 1));
    });

    it("is reported as not answering while it hangs, and executes the sent request when it continues", async () => {
      await using folder = await temporaryFolder();
      await using node = await startNode({ ...quick, dataFolder: folder.path });
      await using store = await openXtdbStore({ url: node.url, token, timeout: 700 });
      await store.commit([{ object: sample("a", { count: 1 }) }]);

      process.kill(node.pid, "SIGSTOP");
      const slow = await failure(store.commit([{ object: sample("a", { count: 2 }), expect: 1 }]));
      const start = performance.now();
      await failure(store.get(a));
      const took = performance.now() - start;
      process.kill(node.pid, "SIGCONT");
      await expect
        .poll(async () => (await store.get(a).catch(() => undefined))?.version, { timeout: 30_000 })
        .toBe(2);
      const refused = await failure(
        store.commit([{ object: sample("a", { count: 3 }), expect: 1 }]),
      );

      expect(slow.code).toBe("STORE_UNAVAILABLE");
      expect(slow.message).toMatch(/did not answer within \d+ ms; it is under load or stuck/u);
      expect(took).toBeLessThan(5_000);
      expect(refused.code).toBe("VERSION_CONFLICT");
      expect(await counts(store)).toEqual([1, 2]);
    });

    it("is reported as not being XTDB if the path in its URL is wrong", async () => {
      await using folder = await temporaryFolder();
      await using node = await startNode({
        ...quick,
        dataFolder: folder.path,
        indexFolder: "memory",
      });

      const error = await failure(openXtdbStore({ url: `${node.url}/database`, token }));

      expect(error.code).toBe("STORE_FOREIGN");
      expect(error.message).toContain("give the URL of an XTDB 1.24 node");
    });

    it.skipIf(process.platform === "win32")(
      "is reported with a full disk, and keeps all acknowledged objects",
      async () => {
        await using folder = await temporaryFolder();
        const java = await limitedJava(folder.path, 4);
        const dataFolder = join(folder.path, "data");
        const options = { ...quick, java: java.command, dataFolder, indexFolder: "memory" };
        const node = await startNode(options);
        const stored = new Map<string, string>();
        let full: StoreError;
        {
          await using store = await openXtdbStore({ url: node.url, token, timeout: 5_000 });
          full = await failure(fill(store, stored));
          // Stored objects can still be read.
          expect((await store.get(objectId("text-0")))?.version).toBe(1);
        }
        await node.stop();
        await java.free();
        await using again = await startNode(options);
        await using store = await openXtdbStore({ url: again.url, token, timeout: 60_000 });
        await store.commit([{ object: sample("more") }]);

        expect(full.code).toBe("STORE_UNAVAILABLE");
        expect(full.message).toMatch(/its database failed .*disk is full/u);
        expect(await lost(store, stored)).toEqual([]);
      },
    );

    it.skipIf(process.platform === "win32")(
      "is reported as needing a restart after its ingester failed, and is restarted by the client of a local node",
      async () => {
        await using folder = await temporaryFolder();
        const java = await limitedJava(folder.path, 16);
        const dataFolder = join(folder.path, "data");
        await using store = await openLocalXtdbStore({
          ...quick,
          java: java.command,
          dataFolder,
          timeout: 60_000,
        });
        const { url = "" } = await nodeStatus(dataFolder);
        await using remote = await openXtdbStore({ url, token, timeout: 5_000 });
        const stored = new Map<string, string>();

        const failed = await failure(fill(remote, stored));
        const { state } = await nodeStatus(dataFolder);
        await java.free();
        await store.commit([{ object: sample("more") }]);

        expect(state).toBe("failed");
        expect(failed.code).toBe("STORE_UNAVAILABLE");
        expect(failed.message).toMatch(/its ingester failed.*full disk.*Restart it/u);
        expect(await nodeStatus(dataFolder)).toMatchObject({ state: "running" });
        expect(await lost(store, stored)).toEqual([]);
      },
    );
  },
);

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Adds versions after the first one until the signal stops it. Returns the number of the last version. */
async function countUp(store: ObjectStore, stop: AbortSignal): Promise<number> {
  let count = 1;
  for (; !stop.aborted; count += 1) {
    await store.commit([{ object: sample("a", { count: count + 1 }), expect: count }]);
  }
  return count;
}

async function counts(store: ObjectStore): Promise<readonly unknown[]> {
  return (await store.history(a)).map(({ body }) => body["count"]);
}

/** Commits texts that cannot be packed until a commit fails, and records the hashes of the acknowledged objects. */
async function fill(store: ObjectStore, stored: Map<string, string>): Promise<never> {
  for (let number = 0; ; number += 1) {
    const content = randomBytes(700_000).toString("base64");
    const object = sample(`text-${number}`, { content });
    await store.commit([{ object, expect: 0 }]);
    stored.set(object.body.id, object.hashes.object_hash);
  }
}

async function lost(
  store: ObjectStore,
  stored: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const [id, hash] of stored) {
    const found = await store.get(objectId(id));
    if (found === undefined || hashObject(found.body).object_hash !== hash) gone.push(id);
  }
  return gone;
}
