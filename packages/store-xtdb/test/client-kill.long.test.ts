// If the machine has no Java, the test is skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { seededRandom, testScale } from "@self-context-manager/store-contract";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

import { nodeStatus, openLocalXtdbStore } from "../src/index.ts";
import { missingTools } from "./test-node.ts";
import { type Acknowledged, checkEntries } from "./writing.ts";

const kills = testScale.isLong ? 100 : 4;
const missing = missingTools();
/** Milliseconds for a client that perhaps starts the node, on a machine that is busy with other tests. */
const patience = 120_000;

it.skipIf(missing !== undefined)(
  `stores each acknowledged entry once when clients are killed under load ${kills} times, also while they start the node${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 3_600_000 : 400_000 },
  async () => {
    const random = seededRandom(testScale.seed);
    const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-clients-"));
    const acknowledged: Acknowledged = new Map();
    const clients: Client[] = [];
    let begun = 0;
    const begin = (): void => {
      begun += 1;
      clients.push(client(folder, `c${begun}`, acknowledged));
    };
    try {
      begin();
      begin();
      for (let kill = 0; kill < kills; kill += 1) {
        await delay(50 + random() * 1500);
        // If both are killed, the node ends soon. The next clients start after that, or just before.
        const both = random() < 0.2;
        const victims = both ? clients.splice(0) : clients.splice(Math.floor(random() * 2), 1);
        for (const victim of victims) await victim.kill();
        if (both) await delay(random() * 1500);
        while (clients.length < 2) begin();
      }
      // On a busy machine, clients can be killed before they have written anything.
      await Promise.all(clients.map((one) => one.wrote(kills)));
    } finally {
      for (const one of clients) await one.kill();
    }

    {
      await using store = await openLocalXtdbStore({
        dataFolder: folder,
        quick: true,
        linger: 300,
      });
      await checkEntries(store, acknowledged);
    }
    expect(acknowledged.size).toBeGreaterThan(kills);
    await expect
      .poll(async () => (await nodeStatus(folder)).state, { timeout: patience })
      .toBe("stopped");
    await rm(folder, { recursive: true, force: true });
  },
);

interface Client {
  /** Resolves when the client has acknowledged so many entries; rejects if the client ended by itself. */
  wrote(entries: number): Promise<void>;
  /** Kills the client; rejects if it had ended by itself. */
  kill(): Promise<void>;
}

function client(folder: string, name: string, acknowledged: Acknowledged): Client {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("writing-child.ts", import.meta.url)),
      folder,
      name,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let count = 0;
  let complaint = "";
  if (child.stdout === null || child.stderr === null) throw new Error("the child has no output");
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [entry, hash] = JSON.parse(line) as readonly [string, string];
    acknowledged.set(entry, hash);
    count += 1;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const check = (): void => {
    if (child.exitCode !== null) throw new Error(`client ${name} ended: ${complaint}`);
  };
  return {
    async wrote(entries) {
      await expect
        .poll(() => (check(), count), { timeout: patience, interval: 50 })
        .toBeGreaterThanOrEqual(entries);
    },
    async kill() {
      check();
      child.kill("SIGKILL");
      await closed;
    },
  };
}
