import type { Clock, ObjectStore } from "@self-context-manager/objects";

/** Somewhere a store can live: a directory, a namespace of a server, or nothing at all. Empty when it is made. */
export interface StorePlace extends AsyncDisposable {
  /** Opens the store of this place; of a durable store it may be called again, of a shared one also meanwhile. */
  open(options?: { readonly clock?: Clock }): Promise<ObjectStore>;
  /**
   * For stores that are durable or shared: the command and its arguments, one string each, of a program that calls
   * `runStoreChild` with the store of this place.
   */
  readonly child?: readonly string[];
}

/** Makes a new, empty place. */
export type CreatePlace = () => Promise<StorePlace>;

/** Tries one law in places of its own; throws where the law is broken. */
export type Scenario = (createPlace: CreatePlace) => Promise<void>;
