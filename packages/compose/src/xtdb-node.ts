import { StoreError } from "@self-context-manager/core";
import type * as storeXtdb from "@self-context-manager/store-xtdb";

import { loadXtdb } from "./load-xtdb.ts";

/** This machine's XTDB node with a data folder. A failed operation rejects with a `StoreError`. */
export interface XtdbNode {
  /** Starts the node if it does not run, and keeps it running until `stop`; returns its URL and process id. */
  start(options?: StartXtdbNodeOptions): Promise<{ readonly url: string; readonly pid: number }>;
  /** Stops the node, even if processes use it; returns whether one was running. */
  stop(): Promise<boolean>;
  status(): Promise<XtdbNodeStatus>;
  /** Returns what SQLite's own check finds in the database; the node may be running. */
  damage(): Promise<readonly string[]>;
  /** Copies the data into one file; the node may be running. */
  backup(file: string): Promise<void>;
  /** Fills the data folder, which must be without data, from a backup. */
  restore(file: string): Promise<void>;
}

/** A node as it is found. The same shape as in `store-xtdb`, whose types are not there if the package is not installed. */
export interface XtdbNodeStatus {
  readonly dataFolder: string;
  /** `absent`: no node has ever run there. `failed`: it runs but has stopped indexing; a start restarts it. */
  readonly state: "absent" | "stopped" | "running" | "failed";
  readonly url?: string;
  readonly pid?: number;
  /** The version of XTDB that wrote the data. */
  readonly engine?: string;
  readonly storage?: "sqlite" | "postgres";
  /** The ids of the processes that use the node. */
  readonly users: readonly number[];
  /** Whether the node keeps running when no process uses it. */
  readonly kept: boolean;
  /** Size of the SQLite database in bytes; undefined without one. */
  readonly databaseBytes?: number;
  readonly latestTransaction?: number;
}

export interface StartXtdbNodeOptions {
  /** The port to listen on; default: a free one. */
  readonly port?: number;
  /** The token that every request must have; default: a new random one at each start. */
  readonly token?: string;
  /** Called with a line of text before each long step. */
  readonly progress?: (line: string) => void;
}

/** Returns the node of a data folder. The package of the store is loaded only by the first operation. */
export function xtdbNode(dataFolder: string): XtdbNode {
  return {
    start: async (options = {}) =>
      await asked(async ({ joinNode }) => {
        const joined = await joinNode({ ...options, dataFolder, keep: true });
        await joined.leave();
        return { url: joined.url, pid: joined.pid };
      }),
    stop: async () => await asked(async ({ stopNode }) => await stopNode(dataFolder)),
    status: async () => await asked(async ({ nodeStatus }) => await nodeStatus(dataFolder)),
    damage: async () => await asked(async ({ databaseDamage }) => await databaseDamage(dataFolder)),
    backup: async (file) =>
      await asked(async ({ backupNode }) => await backupNode(dataFolder, file)),
    restore: async (file) =>
      await asked(async ({ restoreNode }) => await restoreNode(file, dataFolder)),
  };
}

async function asked<Result>(work: (loaded: typeof storeXtdb) => Promise<Result>): Promise<Result> {
  const loaded = await loadXtdb();
  try {
    return await work(loaded);
  } catch (error) {
    if (!loaded.NodeError.is(error)) throw error;
    throw new StoreError("STORE_UNAVAILABLE", error.message, { cause: error });
  }
}
