import type { Clock, ObjectStore, Patience } from "@self-context-manager/objects";

/** A place for one store: a directory, a namespace of a server, or memory. It is empty at first. */
export interface StorePlace extends AsyncDisposable {
  /**
   * Opens the store of this place. A durable store can be opened again after closing, a shared one also while it is
   * open.
   */
  open(options?: PlaceOptions): Promise<ObjectStore>;
  /**
   * The command of a program that calls `runStoreChild` with the store of this place, and its arguments, one string
   * each. Only for durable or shared stores.
   */
  readonly child?: readonly string[];
  /**
   * Changes what is stored at one place that `random` chooses, as a faulty disk does, while no store is open at this
   * place. `random` returns numbers from 0 to below 1. Disposal restores what was stored. Only for durable stores.
   */
  readonly damage?: (random: () => number) => Promise<AsyncDisposable>;
  /**
   * Returns all that the files of the store hold, as text, whatever form it has there: also what is packed, and what is
   * left of former data. The laws look in it for what must be gone. Only for stores with files.
   */
  readonly stored?: () => Promise<string>;
  /** Deletes or renames the files of the store, while it is open. Only for losable stores. */
  readonly lose?: () => Promise<void>;
  /**
   * Backs up the store, while it is open, and returns the place of a store that was made from the backup. The law
   * `backup-is-whole` needs it.
   */
  readonly backup?: () => Promise<StorePlace>;
  /**
   * Takes the write lock of the store, as another process does; the place has been opened before. Disposal releases the
   * lock, and is idempotent. Only for lockable stores.
   */
  readonly block?: () => Promise<AsyncDisposable>;
}

/** How a store is opened. A store that waits for nothing may ignore the patience. */
export interface PlaceOptions {
  readonly clock?: Clock;
  readonly patience?: Patience;
}

/** Creates a new, empty place. */
export type CreatePlace = () => Promise<StorePlace>;

/** Tests one law in new places. Throws if the law is broken. */
export type Scenario = (createPlace: CreatePlace) => Promise<void>;
