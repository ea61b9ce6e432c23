import type { BodyCache, ChainEnd } from "@self-context-manager/objects";

/** The latest version of an object, with all that is needed to write the next one. */
export interface Head extends ChainEnd {
  /** The key of the object's row in this file. */
  readonly key: number;
  /** The number of the version whose row contains the metadata: this version, or an earlier one with equal metadata. */
  readonly shown: number;
}

/** The cache of latest versions. */
export type Heads = BodyCache<Head>;
