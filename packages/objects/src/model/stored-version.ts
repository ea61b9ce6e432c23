import type { ObjectHashes } from "./hashes.ts";
import { metadataOf, type ObjectBody, type ObjectMetadata } from "./object-body.ts";
import type { ChatPosition, StaticReference } from "./references.ts";

/** The transaction that made a version: a number that only grows, and its time as ISO 8601 with milliseconds, UTC. */
export type VersionPoint = { readonly tx_id: number; readonly tx_time: string };

/** One version of an object as a store answers it. */
export interface StoredVersion {
  readonly body: ObjectBody;
  readonly hashes: ObjectHashes;
  /** 1 for an object's first version, then one more for each. */
  readonly version: number;
  readonly at: VersionPoint;
}

/** One version of an object without its bulk fields. */
export interface StoredMetadata {
  readonly body: ObjectMetadata;
  readonly hashes: ObjectHashes;
  readonly version: number;
  readonly at: VersionPoint;
}

/** The static reference to a stored version: id, transaction, three hashes (specification v0 §7.2). */
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

/** A version without its bulk fields. */
export function metadataVersion(stored: StoredVersion): StoredMetadata {
  return {
    body: metadataOf(stored.body),
    hashes: stored.hashes,
    version: stored.version,
    at: stored.at,
  };
}
