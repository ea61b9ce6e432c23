import type { ChainEnd, JsonObject } from "@self-context-manager/objects";

/** A latest version with everything that the next one is written against. */
export interface Head extends ChainEnd {
  /** The number of its object among all, in order of first commit. */
  readonly place: number;
  /** The commit as of which it is known to be its object's latest version. */
  readonly asOf: number;
}

/** The bulk fields of some version of an object, from which a later one can be built. */
export interface Rebuilt {
  readonly version: number;
  readonly bulk: JsonObject;
  readonly size: number;
}
