import type { Clock, ObjectStore } from "@self-context-manager/objects";

/** A place for one store: a directory, a namespace of a server, or memory. It is empty at first. */
export interface StorePlace extends AsyncDisposable {
  /**
   * Opens the store of this place. A durable store can be opened again after closing, a shared one also while it is
   * open.
   */
  open(options?: { readonly clock?: Clock }): Promise<ObjectStore>;
  /**
   * The command of a program that calls `runStoreChild` with the store of this place, and its arguments, one string
   * each. Only for durable or shared stores.
   */
  readonly child?: readonly string[];
}

/** Creates a new, empty place. */
export type CreatePlace = () => Promise<StorePlace>;

/** Tests one law in new places. Throws if the law is broken. */
export type Scenario = (createPlace: CreatePlace) => Promise<void>;
