import type { BodyCache, ChainEnd } from "@self-context-manager/objects";

import type { WholeMetadata } from "./metadata-rows.ts";

/** The latest version of an object, with all that is needed to write the next one. */
export interface Head extends ChainEnd {
  /** The key of the object's row in this file. */
  readonly key: number;
  /** The whole metadata in the row of this version, or of the earlier version that the row names. */
  readonly whole: WholeMetadata;
}

/** The cache of latest versions. */
export type Heads = BodyCache<Head>;
