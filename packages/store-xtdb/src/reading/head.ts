import type { ChainEnd, JsonObject } from "@self-context-manager/objects";

import type { ObjectDocument } from "../xtdb-documents/xtdb-documents.ts";

/** The latest version of an object, with all that is needed to write the next one. */
export interface Head extends ChainEnd {
  /** The number of the object in the order of first commits. */
  readonly place: number;
  /** The number of the commit as of which this version is known to be the latest. */
  readonly asOf: number;
}

/** Whether a head in memory is the version of a document, with the content that it has now. */
export function isVersionOf({ stored }: Head, { version, objectHash }: ObjectDocument): boolean {
  return stored.version === version && stored.hashes.object_hash === objectHash;
}

/** The bulk fields of a version, from which a later version of the object can be rebuilt. */
export interface Rebuilt {
  readonly version: number;
  readonly bulk: JsonObject;
  readonly size: number;
}
