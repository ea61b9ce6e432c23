import type { DocumentParser, ObjectStore, SearchIndex } from "@self-context-manager/objects";
import type { Layout } from "@self-context-manager/core";

/**
 * A store to look into, with what reads it. Nothing of it is changed, except the derived indexes beside the store: they
 * are brought up to date where that is possible.
 */
export interface InspectedStore {
  readonly store: ObjectStore;
  /** The layouts that the sessions may have used. */
  readonly layouts: readonly Layout[];
  /** Where the store is, for the user. */
  readonly place: string;
  /** Such as `sqlite`. */
  readonly kind: string;
  /** Reads the links of documents. Default: no links are shown. */
  readonly parser?: DocumentParser;
  /** Finds objects by their words. Default: only names are searched. */
  readonly search?: SearchIndex;
  /**
   * The folder in which the names of links are looked up, and from which paths are shortened, for objects that are in no
   * folder of a session.
   */
  readonly workspace?: string;
}
