import { openXtdbStore, startNode } from "@self-context-manager/store-xtdb";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HostStore, ScriptedHostOptions } from "../harness/scripted-host.ts";

/** A node whose stores break when it is killed, and work again when it is restarted at the same address. */
export interface MortalNode extends AsyncDisposable {
  readonly openStore: NonNullable<ScriptedHostOptions["openStore"]>;
  /** How often the node was killed. */
  readonly deaths: number;
}

/**
 * The time limit of a store's request, in milliseconds. It is longer than a commit on a busy machine, and the first
 * request to a killed node waits this long.
 */
const patience = 3_000;

export async function openMortalNode(): Promise<MortalNode> {
  const dataFolder = await mkdtemp(join(tmpdir(), "scm-mortal-"));
  // A store keeps the address and the token with which it was opened.
  const token = randomUUID();
  const options = { dataFolder, quick: true, token };
  let node = await startNode(options);
  const { url } = node;
  const port = Number(new URL(url).port);
  let isDead = false;
  let deaths = 0;
  let spaces = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function revive(): Promise<void> {
    node = await startNode({ ...options, port });
  }

  async function openStore(clock: { now(): number }): Promise<HostStore> {
    spaces += 1;
    const space = `host-${spaces}`;
    const store = await openXtdbStore({ url, token, space, clock, timeout: patience });
    return {
      store,
      setBroken(broken) {
        // A node that is silent is a dead one.
        const dies = broken !== false;
        if (dies === isDead) return;
        isDead = dies;
        if (!dies) {
          underWay = revive();
          return;
        }
        deaths += 1;
        process.kill(node.pid, "SIGKILL");
      },
      settled: async () => await underWay,
    };
  }

  return {
    openStore,
    get deaths() {
      return deaths;
    },
    async [Symbol.asyncDispose]() {
      await underWay;
      await node.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
