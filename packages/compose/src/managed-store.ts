import type { Clock, ObjectStore } from "@self-context-manager/core";
import { defined } from "@self-context-manager/objects";

import { callPatience } from "./call-patience.ts";
import { configFromEnvironment } from "./config-from-environment.ts";
import type { ContextManagerOptions } from "./context-manager-options.ts";
import { type StoreKind, storeKinds } from "./kinds.ts";
import { openStore } from "./open-store.ts";
import type { StorePlace } from "./search-path.ts";
import { locksOf } from "./session-presence.ts";
import { checkInstance, known } from "./session-settings.ts";
import { isNodeUrl } from "./store-path.ts";

/** The store of a manager. */
export interface ManagedStore {
  readonly store: ObjectStore;
  /** The folder of the locks that show which sessions other processes have open; undefined if there are none. */
  readonly locks?: string;
  /** How the store was opened; undefined for one that the caller has opened. */
  readonly place?: StorePlace;
  /** Closes the store, if the manager opened it. */
  readonly close: () => Promise<void>;
}

/** The methods of `ObjectStore`. */
const storeMethods = [
  "commit",
  "get",
  "getMany",
  "describe",
  "history",
  "versions",
  "find",
  "lookup",
  "referrers",
  "changesSince",
  "restore",
] as const satisfies readonly (keyof ObjectStore)[];

/**
 * Opens the store that the options name, or returns the one that they have. Rejects with `RangeError` for options that are
 * not allowed or do not apply, and with `StoreError` if the store cannot be opened.
 */
export async function managedStore(
  options: ContextManagerOptions,
  clock: Clock,
): Promise<ManagedStore> {
  const { store: given, patience = callPatience(), xtdb } = options;
  if (given !== undefined && typeof given !== "string") {
    checkStore(given, options);
    return { store: given, close: async () => {} };
  }
  const kind = kindOf(given, options.at);
  const at = options.at ?? usualPath(kind);
  const notify = options.notify ?? ((text: string) => options.logger?.warn(text));
  const store = await openStore({ store: kind, at, patience, clock, notify, ...defined({ xtdb }) });
  return {
    store,
    place: { store: kind, at, ...defined({ xtdb }) },
    ...defined({ locks: locksOf({ store: kind, at }) }),
    close: async () => await store[Symbol.asyncDispose](),
  };
}

function checkStore(store: ObjectStore, options: ContextManagerOptions): void {
  checkInstance("store", store, storeMethods, `${storeKinds.join(" or ")}, or an open ObjectStore`);
  for (const option of ["at", "xtdb", "patience"] as const) {
    if (options[option] === undefined) continue;
    throw new RangeError(
      `${option} does not apply to a store that is already open; leave it out, or pass it to the function that opens the store`,
    );
  }
}

/** The kind of the store: the given one, else the one to which the place belongs. */
function kindOf(given: StoreKind | undefined, at: string | undefined): StoreKind {
  const isUrl = at !== undefined && isNodeUrl(at);
  if (isUrl && given === undefined) return "xtdb";
  const kind = known("store", storeKinds, given ?? "sqlite");
  if (isUrl && kind === "sqlite")
    throw new RangeError(`at is the URL ${at}; it must be a path, or store must be xtdb`);
  return kind;
}

function usualPath(kind: StoreKind): string {
  return configFromEnvironment({ ...process.env, SCM_STORE_KIND: kind }).at;
}
