import type { ObjectHashes } from "./hashes.ts";
import { metadataOf, type ObjectBody, type ObjectMetadata } from "./object-body.ts";
import type { ChatPosition, StaticReference } from "./references.ts";

/** The transaction that made a version: an increasing number, and its time in ISO 8601 with milliseconds, UTC. */
export type VersionPoint = { readonly tx_id: number; readonly tx_time: string };

/** One version of an object as a store returns it. */
export interface StoredVersion {
  readonly body: ObjectBody;
  readonly hashes: ObjectHashes;
  /** The number of the version: 1 for the first, then 2, 3 … */
  readonly version: number;
  readonly at: VersionPoint;
}

/** The metadata of one version: without the bulk fields. */
export interface StoredMetadata {
  readonly body: ObjectMetadata;
  readonly hashes: ObjectHashes;
  readonly version: number;
  readonly at: VersionPoint;
}

/** Returns the static reference to a stored version: its id, its transaction and its three hashes. */
export function staticReference(
  stored: StoredVersion | StoredMetadata,
  part: { readonly field?: string; readonly position?: ChatPosition } = {},
): StaticReference {
  return {
    ref: "static",
    id: stored.body.id,
    tx_id: stored.at.tx_id,
    tx_time: stored.at.tx_time,
    content_hash: stored.hashes.content_hash,
    metadata_view_hash: stored.hashes.metadata_view_hash,
    object_hash: stored.hashes.object_hash,
    ...part,
  };
}

/** Returns a version without its bulk fields. */
export function metadataVersion(stored: StoredVersion): StoredMetadata {
  return {
    body: metadataOf(stored.body),
    hashes: stored.hashes,
    version: stored.version,
    at: stored.at,
  };
}
