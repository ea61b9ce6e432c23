import type { Clock, ObjectStore } from "@self-context-manager/core";

import type { StoreKind } from "./kinds.ts";

export interface OpenStoreOptions {
  readonly store: StoreKind;
  /** The store's file; of no use to a store in memory. */
  readonly at: string;
  readonly clock: Clock;
}

/** Opens a store by its kind. Each is loaded only when it is asked for, so that none stands in another's way. */
export async function openStore({ store, at, clock }: OpenStoreOptions): Promise<ObjectStore> {
  switch (store) {
    case "memory": {
      const { memoryStore } = await import("@self-context-manager/store-memory");
      return memoryStore({ clock });
    }
    case "sqlite": {
      const { openSqliteStore } = await import("@self-context-manager/store-sqlite");
      return await openSqliteStore({ path: at, clock });
    }
  }
}
