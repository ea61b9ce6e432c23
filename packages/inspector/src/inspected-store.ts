import type {
  DocumentParser,
  ObjectId,
  ObjectStore,
  SearchIndex,
} from "@self-context-manager/objects";
import type { SessionTimeline } from "@self-context-manager/core/inspect";
import type { Layout } from "@self-context-manager/core";

/** Reads what filled the window in the calls of sessions. */
export interface Timelines {
  /** Returns the timeline of a session; undefined if there is no such session. `after`: only later calls. */
  read(
    session: ObjectId,
    options?: { readonly after?: number },
  ): Promise<SessionTimeline | undefined>;
}

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
  readonly timelines: Timelines;
  /** Reads the links of documents. Default: no links are shown. */
  readonly parser?: DocumentParser;
  /** Finds objects by their words. Default: only names are searched. */
  readonly search?: SearchIndex;
  /** The folder in which the names of links are looked up, and from which paths are shortened. */
  readonly workspace?: string;
}
