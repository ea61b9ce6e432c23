import type { Clock, ObjectStore } from "@self-context-manager/core";

import type { XtdbOptions } from "./context-manager-options.ts";
import type { StoreKind } from "./kinds.ts";
import { isNodeUrl } from "./store-path.ts";

export interface OpenStoreOptions {
  readonly store: StoreKind;
  /**
   * The path of the store's file; for a store in XTDB, the URL of its node or the data folder of this machine's node.
   * A store in memory ignores it.
   */
  readonly at: string;
  readonly clock: Clock;
  /** Options of a store in XTDB. */
  readonly xtdb?: XtdbOptions;
}

/** Opens a store of a kind. Only the package of that kind is loaded, so a package that cannot load affects no other. */
export async function openStore(options: OpenStoreOptions): Promise<ObjectStore> {
  const { store, at, clock, xtdb = {} } = options;
  switch (store) {
    case "memory": {
      const { memoryStore } = await import("@self-context-manager/store-memory");
      return memoryStore({ clock });
    }
    case "sqlite": {
      const { openSqliteStore } = await import("@self-context-manager/store-sqlite");
      return await openSqliteStore({ path: at, clock });
    }
    case "xtdb": {
      const { openLocalXtdbStore, openXtdbStore } =
        await import("@self-context-manager/store-xtdb");
      const { keep, name, timeout, token } = xtdb;
      const common = {
        clock,
        ...(name === undefined ? {} : { space: name }),
        ...(timeout === undefined ? {} : { timeout }),
        ...(token === undefined ? {} : { token }),
      };
      return isNodeUrl(at)
        ? await openXtdbStore({ url: at, ...common })
        : await openLocalXtdbStore({ dataFolder: at, keep: keep ?? false, ...common });
    }
  }
}
