import type { JsonValue } from "./json.ts";
import type { ObjectId } from "./object-id.ts";
import type { Reference } from "./references.ts";

/** The origin of an object. */
export type Provenance = {
  readonly origin: string;
  readonly generator: "human" | "agent" | "tool" | "system";
  readonly parent_refs?: readonly Reference[];
  /** For the version of a file: it counts as the file before it only because it has the same path. */
  readonly identified_by?: "path";
  /** For a text that a model was asked for: the model, the version of the prompt, and what the request took. */
  readonly model?: string;
  readonly prompt?: number;
  /** Unix time in milliseconds. */
  readonly time?: number;
  readonly tokens?: { readonly input: number; readonly output: number };
  /** US dollars. */
  readonly cost?: number;
};

/**
 * The fields of every object. Each type adds its own fields, and any program may add more.
 *
 * Field names are stored, so they are those of the specification, in snake_case.
 */
export type ObjectBody = {
  readonly id: ObjectId;
  readonly type: string;
  /** The text that `activate` shows; null if there is none. */
  readonly content: string | null;
  /** A locked object cannot be deactivated. */
  readonly locked: boolean;
  readonly provenance: Provenance;
  /** A second name, unique in a store and never equal to an id. */
  readonly nickname?: string;
  /** The fields of the metadata view, instead of those of the type. */
  readonly view?: readonly string[];
  /** Further text fields that have their own hash, named `<field>_hash`. */
  readonly content_fields?: readonly string[];
  readonly [field: string]: JsonValue | undefined;
};

/**
 * Fields that are loaded only together with the content, so that the cost of a metadata query does not grow with the
 * session. A `view` cannot name them. So one more name here changes the `metadata_view_hash` of objects whose `view` has
 * that name, and needs a new hash rule.
 */
export const bulkFields: ReadonlySet<string> = new Set([
  "content",
  "turns",
  "toolcall_refs",
  "loaded_refs",
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

/** The metadata of an object: all fields except the bulk fields. */
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

/** Returns an object without its bulk fields. */
export function metadataOf(body: ObjectBody): ObjectMetadata {
  const kept = Object.entries(body).filter(([field]) => !bulkFields.has(field));
  return Object.fromEntries(kept) as ObjectMetadata;
}
