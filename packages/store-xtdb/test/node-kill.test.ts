// Where the machine has no Java nothing is tried, and the run says so.
/* oxlint-disable vitest/no-disabled-tests */
import { hashObject, objectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { seededRandom, testScale } from "@self-context-manager/testkit";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";

import { openLocalXtdbStore } from "../src/index.ts";
import { sample } from "./sample.ts";
import { missingTools } from "./test-node.ts";

const kills = testScale.isLong ? 100 : 3;
const missing = missingTools();
/** Milliseconds; a node that is killed while it starts is started again, and a machine may be busy with other tests. */
const patience = 120_000;

it.skipIf(missing !== undefined)(
  `loses and doubles nothing when the node is killed under load, ${kills} times${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 3_600_000 : 400_000 },
  async () => {
    const random = seededRandom(testScale.seed);
    const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-kill-"));
    const open = () => openLocalXtdbStore({ dataFolder: folder, quick: true, timeout: patience });
    const acknowledged = new Map<string, string>();
    let isOver = false;
    {
      await using one = await open();
      await using other = await open();
      const writers = [one, other].map((store, index) =>
        write(store, `w${index}`, acknowledged, () => isOver),
      );
      // A writer that fails is told at the end, after the others have been stopped.
      const failures: unknown[] = [];
      for (const writer of writers) writer.catch((reason: unknown) => failures.push(reason));
      let killed = 0;
      for (let kill = 0; kill < kills && failures.length === 0; kill += 1) {
        const before = acknowledged.size;
        await delay(200 + random() * 400);
        killed = await killNode(folder, killed);
        // Some die again as soon as they listen, while they catch up or the clients find them.
        if (random() < 0.4) {
          killed = await killNode(folder, killed, random() * 300);
        }
        const end = performance.now() + patience;
        while (
          acknowledged.size < before + 10 &&
          failures.length === 0 &&
          performance.now() < end
        ) {
          await delay(20);
        }
        if (failures.length > 0) break;
        // The clients go on by themselves.
        expect(acknowledged.size).toBeGreaterThan(before);
      }
      isOver = true;
      const counts = await Promise.all(writers);

      const history = await one.history(objectId("log"));
      const told = history.map(({ body }) => body["entry"]);
      expect(history.map(({ version }) => version)).toEqual(told.map((_, index) => index + 1));
      expect(new Set(told).size).toBe(told.length);
      for (const [name, hash] of acknowledged) {
        expect(told).toContain(name);
        const stored = await one.get(objectId(name));
        expect({ name, hash: stored && hashObject(stored.body).object_hash }).toEqual({
          name,
          hash,
        });
      }
      expect(counts[0]).toBeGreaterThan(0);
      expect(counts[1]).toBeGreaterThan(0);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  },
);

/** Adds an entry to the log that the writers share, and an object of its name, in each commit. */
async function write(
  store: ObjectStore,
  name: string,
  acknowledged: Map<string, string>,
  isOver: () => boolean,
): Promise<number> {
  const log = objectId("log");
  let count = 0;
  while (!isOver()) {
    const entry = `${name}-${count}`;
    const own = sample(entry, { content: `${entry} ${"x".repeat(1500)}` });
    const latest = await store.get(log);
    try {
      await store.commit([
        { object: sample("log", { entry }), expect: latest?.version ?? 0 },
        { object: own, expect: 0 },
      ]);
      acknowledged.set(entry, own.hashes.object_hash);
      count += 1;
    } catch (error) {
      // The other writer was first, as it may be: look again.
      if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
  return count;
}

/** Kills the node that runs now, another than the last that was killed; between two of them there is none for a while. */
async function killNode(folder: string, last: number, after = 0): Promise<number> {
  const end = performance.now() + patience;
  for (;;) {
    const pid = await pidOf(folder);
    if (pid !== undefined && pid !== last) {
      await delay(after);
      process.kill(pid, "SIGKILL");
      return pid;
    }
    if (performance.now() > end) throw new Error(`no node came after process ${last}`);
    await delay(20);
  }
}

async function pidOf(folder: string): Promise<number | undefined> {
  try {
    const text = await readFile(join(folder, "node.json"), "utf8");
    return (JSON.parse(text) as { readonly pid: number }).pid;
  } catch {
    // No node has said yet that it runs.
    return undefined;
  }
}
