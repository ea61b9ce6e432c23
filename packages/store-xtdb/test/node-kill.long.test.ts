// If the machine has no Java, the test is skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { seededRandom, testScale } from "@self-context-manager/store-contract";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";

import { openLocalXtdbStore } from "../src/index.ts";
import { missingTools } from "./test-node.ts";
import { type Acknowledged, checkEntries, writeEntries } from "./writing.ts";

const kills = testScale.isLong ? 100 : 3;
const missing = missingTools();
/** Milliseconds to wait: a node that is killed while it starts is started again, perhaps on a busy machine. */
const patience = 120_000;

it.skipIf(missing !== undefined)(
  `stores each acknowledged entry once when the node is killed under load ${kills} times${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 3_600_000 : 400_000 },
  async () => {
    const random = seededRandom(testScale.seed);
    const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-kill-"));
    const open = () => openLocalXtdbStore({ dataFolder: folder, quick: true, timeout: patience });
    const acknowledged: Acknowledged = new Map();
    let isOver = false;
    {
      await using one = await open();
      await using other = await open();
      const writers = [one, other].map((store, index) =>
        writeEntries(
          store,
          `w${index}`,
          (entry, hash) => void acknowledged.set(entry, hash),
          () => isOver,
        ),
      );
      // The failure of a writer is reported at the end, after the others have stopped.
      const failures: unknown[] = [];
      for (const writer of writers) writer.catch((reason: unknown) => failures.push(reason));
      let killed = 0;
      for (let kill = 0; kill < kills && failures.length === 0; kill += 1) {
        const before = acknowledged.size;
        await delay(200 + random() * 400);
        killed = await killNode(folder, killed);
        // Some nodes are killed again as soon as they listen, while they index their log or the clients find them.
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
        // The clients continue without help.
        expect(acknowledged.size).toBeGreaterThan(before);
      }
      isOver = true;
      const counts = await Promise.all(writers);

      await checkEntries(one, acknowledged);
      expect(counts[0]).toBeGreaterThan(0);
      expect(counts[1]).toBeGreaterThan(0);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  },
);

/** Waits for a node other than the last one that was killed, kills it and returns its process id. */
async function killNode(folder: string, last: number, after = 0): Promise<number> {
  const end = performance.now() + patience;
  for (;;) {
    const pid = await pidOf(folder);
    if (pid !== undefined && pid !== last) {
      await delay(after);
      process.kill(pid, "SIGKILL");
      return pid;
    }
    if (performance.now() > end) throw new Error(`no node was started after process ${last}`);
    await delay(20);
  }
}

async function pidOf(folder: string): Promise<number | undefined> {
  try {
    const text = await readFile(join(folder, "node.json"), "utf8");
    return (JSON.parse(text) as { readonly pid: number }).pid;
  } catch {
    // No node has written its run file yet.
    return undefined;
  }
}
