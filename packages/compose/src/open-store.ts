import type { Clock, ObjectStore, Patience } from "@self-context-manager/core";
import { defined } from "@self-context-manager/objects";

import { accessNotice } from "./access-notice.ts";
import type { XtdbOptions } from "./context-manager-options.ts";
import type { StoreKind } from "./kinds.ts";
import { loadXtdb } from "./load-xtdb.ts";
import { keepPrivate } from "./own-folder.ts";
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
  /** How long calls wait for a store that does not work. Default: 10 s each. */
  readonly patience?: Patience;
  /** Characters of latest versions that the store keeps in memory. Default: that of the store. */
  readonly cacheCharacters?: number;
  /** Receives a text for the user if other users can read the store's files. Default: nobody does. */
  readonly notify?: (text: string) => void;
}

/**
 * Opens a store of a kind. Only the package of that kind is loaded, so a package that cannot load affects no other. Rejects
 * with `StoreError` if the store cannot be opened, or if the optional package `store-xtdb` is needed and not installed.
 */
export async function openStore(options: OpenStoreOptions): Promise<ObjectStore> {
  const { store, at, notify } = options;
  if (store !== "memory" && !isNodeUrl(at)) await keepPrivate(at);
  const opened = await openKind(options);
  const notice = notify === undefined ? undefined : await accessNotice(store, at);
  if (notice !== undefined) notify?.(notice);
  return opened;
}

async function openKind({
  store,
  at,
  clock,
  xtdb = {},
  ...others
}: OpenStoreOptions): Promise<ObjectStore> {
  const { patience, cacheCharacters } = others;
  const given = { clock, ...defined({ patience, cacheCharacters }) };
  switch (store) {
    case "memory": {
      const { memoryStore } = await import("@self-context-manager/store-memory");
      return memoryStore({ clock });
    }
    case "sqlite": {
      const { openSqliteStore } = await import("@self-context-manager/store-sqlite");
      return await openSqliteStore({ path: at, ...given });
    }
    case "xtdb": {
      const { openLocalXtdbStore, openXtdbStore } = await loadXtdb();
      const { keep, name, timeout, token } = xtdb;
      const common = { ...given, ...defined({ space: name, timeout, token }) };
      return isNodeUrl(at)
        ? await openXtdbStore({ url: at, ...common })
        : await openLocalXtdbStore({ dataFolder: at, keep: keep ?? false, ...common });
    }
  }
}
