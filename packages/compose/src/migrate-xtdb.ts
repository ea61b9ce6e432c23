import { StoreError } from "@self-context-manager/core";

import type { XtdbOptions } from "./context-manager-options.ts";
import { loadXtdb } from "./load-xtdb.ts";
import { isNodeUrl } from "./store-path.ts";

export interface MigrateXtdbOptions {
  /** The URL of the node, or the data folder of this machine's node, which is started if it does not run. */
  readonly at: string;
  readonly xtdb?: XtdbOptions;
  /** Called after each part, with the number of versions that are migrated and that of all versions. */
  readonly progress?: (done: number, all: number) => void;
}

/**
 * Brings a store in XTDB to the schema of this version, in place, and returns the number of its versions; 0 for an empty
 * store. A migration that was interrupted continues. Rejects with `StoreError`.
 */
export async function migrateXtdb({
  at,
  xtdb = {},
  progress,
}: MigrateXtdbOptions): Promise<number> {
  const { joinNode, migrateXtdbStore, NodeError } = await loadXtdb();
  const { name, timeout, token } = xtdb;
  const options = {
    ...(name === undefined ? {} : { space: name }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(token === undefined ? {} : { token }),
    ...(progress === undefined ? {} : { progress }),
  };
  if (isNodeUrl(at)) return await migrateXtdbStore({ url: at, ...options });
  try {
    await using node = await joinNode({ dataFolder: at });
    return await migrateXtdbStore({
      url: node.url,
      relocate: async () => (await node.ensure()).url,
      ...options,
    });
  } catch (error) {
    if (!NodeError.is(error)) throw error;
    throw new StoreError("STORE_UNAVAILABLE", error.message, { cause: error });
  }
}
