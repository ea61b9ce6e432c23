import { StoreError } from "@self-context-manager/core";
import type * as storeXtdb from "@self-context-manager/store-xtdb";

/** This machine's XTDB node on a data folder. What cannot be done rejects with a `StoreError`. */
export interface XtdbNode {
  /** Starts the node unless it runs, and keeps it until `stop`; answers where it listens. */
  start(options?: StartXtdbNodeOptions): Promise<{ readonly url: string; readonly pid: number }>;
  /** Ends the node, whoever uses it; answers whether there was one. */
  stop(): Promise<boolean>;
  status(): Promise<storeXtdb.NodeStatus>;
  /** Copies the data into one file, while the node runs or not. */
  backup(file: string): Promise<void>;
  /** Fills the data folder, which must have no data, from a backup. */
  restore(file: string): Promise<void>;
}

export interface StartXtdbNodeOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Told a line before each step that takes long. */
  readonly progress?: (line: string) => void;
}

/** Names the node of a data folder. It is loaded only when something is asked of it. */
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
