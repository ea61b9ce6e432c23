import type { JsonValue } from "./json.ts";
import type { ObjectId } from "./object-id.ts";
import type { Reference } from "./references.ts";

/** Where an object came from (specification v0 §13, decision D14). */
export type Provenance = {
  readonly origin: string;
  readonly generator: "human" | "agent" | "tool" | "system";
  readonly parent_refs?: readonly Reference[];
};

/**
 * What every object has (specification v0 §24.0); types add fields of their own, and anyone may add more.
 *
 * Field names are those of the specification, in snake_case (decision D10).
 */
export type ObjectBody = {
  readonly id: ObjectId;
  readonly type: string;
  /** What `activate` loads; null where there is none. */
  readonly content: string | null;
  /** A locked object cannot be deactivated. */
  readonly locked: boolean;
  readonly provenance: Provenance;
  /** A second name, unique in a store and never equal to an id. */
  readonly nickname?: string;
  /** The fields of the metadata view, in place of the type's own (specification v0 §4.2.1). */
  readonly view?: readonly string[];
  /** Further text fields that have a hash of their own, as `<field>_hash` (specification v0 §4.3). */
  readonly content_fields?: readonly string[];
  readonly [field: string]: JsonValue | undefined;
};

/**
 * Fields that are loaded with the content only, so that a metadata query stays cheap however long a session is
 * (specification v0 §11.4).
 */
export const bulkFields: ReadonlySet<string> = new Set([
  "content",
  "turns",
  "toolcall_refs",
  "blocks",
  "details",
  "args",
  "pool",
  "active_set",
  "inactive_set",
  "pinned_set",
  "activations",
  "pending_calls",
  "recent",
  "handle_counts",
  "calibration",
  "usage_points",
  "cost_account",
  "last_tx_id",
  "entries",
  "memory",
]);

/** An object without its bulk fields. */
export type ObjectMetadata = {
  readonly id: ObjectId;
  readonly type: string;
  readonly locked: boolean;
  readonly provenance: Provenance;
  readonly nickname?: string;
  readonly view?: readonly string[];
  readonly content_fields?: readonly string[];
  readonly content?: never;
  readonly [field: string]: JsonValue | undefined;
};

/** Takes the bulk fields off an object. */
export function metadataOf(body: ObjectBody): ObjectMetadata {
  const kept = Object.entries(body).filter(([field]) => !bulkFields.has(field));
  return Object.fromEntries(kept) as ObjectMetadata;
}
