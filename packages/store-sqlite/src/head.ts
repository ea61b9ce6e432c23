import type { BodyCache, ChainEnd } from "@self-context-manager/objects";

/** A latest version with everything that the next one is written against. */
export interface Head extends ChainEnd {
  /** The number of the object in this file. */
  readonly key: number;
  /** The version whose row has the metadata: this one, or an earlier one with the same. */
  readonly shown: number;
}

/** The latest versions that are kept in memory. */
export type Heads = BodyCache<Head>;
