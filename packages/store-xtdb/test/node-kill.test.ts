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

it.skipIf(missing !== undefined)(
  `loses and doubles nothing when the node is killed under load, ${kills} times${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 3_600_000 : 180_000 },
  async () => {
    const random = seededRandom(testScale.seed);
    const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-kill-"));
    const open = () => openLocalXtdbStore({ dataFolder: folder, quick: true, timeout: 60_000 });
    const acknowledged = new Map<string, string>();
    let isOver = false;
    {
      await using one = await open();
      await using other = await open();
      const writers = [one, other].map((store, index) =>
        write(store, `w${index}`, acknowledged, () => isOver),
      );
      for (let kill = 0; kill < kills; kill += 1) {
        const before = acknowledged.size;
        await delay(200 + random() * 400);
        process.kill(await pidOf(folder), "SIGKILL");
        const end = performance.now() + 60_000;
        while (acknowledged.size < before + 10 && performance.now() < end) await delay(20);
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

/** The node that runs now; between two of them there is none for a while. */
async function pidOf(folder: string): Promise<number> {
  const end = performance.now() + 60_000;
  for (;;) {
    try {
      const text = await readFile(join(folder, "node.json"), "utf8");
      return (JSON.parse(text) as { pid: number }).pid;
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(50);
    }
  }
}
