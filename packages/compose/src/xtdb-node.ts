import { StoreError } from "@self-context-manager/core";
import type * as storeXtdb from "@self-context-manager/store-xtdb";

/** This machine's XTDB node with a data folder. A failed operation rejects with a `StoreError`. */
export interface XtdbNode {
  /** Starts the node if it does not run, and keeps it running until `stop`; returns its URL and process id. */
  start(options?: StartXtdbNodeOptions): Promise<{ readonly url: string; readonly pid: number }>;
  /** Stops the node, even if processes use it; returns whether one was running. */
  stop(): Promise<boolean>;
  status(): Promise<storeXtdb.NodeStatus>;
  /** Copies the data into one file; the node may be running. */
  backup(file: string): Promise<void>;
  /** Fills the data folder, which must be without data, from a backup. */
  restore(file: string): Promise<void>;
}

export interface StartXtdbNodeOptions {
  /** The port to listen on; default: a free one. */
  readonly port?: number;
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
    backup: async (file) =>
      await asked(async ({ backupNode }) => await backupNode(dataFolder, file)),
    restore: async (file) =>
      await asked(async ({ restoreNode }) => await restoreNode(file, dataFolder)),
  };
}

async function asked<Result>(work: (loaded: typeof storeXtdb) => Promise<Result>): Promise<Result> {
  const loaded = await import("@self-context-manager/store-xtdb");
  try {
    return await work(loaded);
  } catch (error) {
    if (!loaded.NodeError.is(error)) throw error;
    throw new StoreError("STORE_UNAVAILABLE", error.message, { cause: error });
  }
}
