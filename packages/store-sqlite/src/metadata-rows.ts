import { sharedSpan } from "@self-context-manager/objects";

import type { Row, SqlValue } from "./connection.ts";
import { packText, unpackText } from "./packed-text.ts";
import { hexOf, number } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";

/** The metadata of a version as JSON in the row of the version, which later versions of the object can name. */
export interface WholeMetadata {
  readonly version: number;
  readonly text: string;
  /** The `metadata_view_hash` of that version. */
  readonly hash: string;
}

/** The metadata of a version, as its row has them. */
export interface RowMetadata {
  /** The metadata as JSON. */
  readonly text: string;
  /** The `metadata_view_hash`. */
  readonly hash: string;
  /** The metadata that the row names, or its own. */
  readonly whole: WholeMetadata;
}

/** Whether a row of `versions v` names the row of an earlier version: by its number, or with the difference from it. */
const refers =
  "(typeof(v.metadata) = 'integer' OR (typeof(v.metadata) = 'text' AND v.metadata GLOB '=*'))";
const named = "CAST(trim(v.metadata, '=') AS INTEGER)";

/** The columns of a row of `versions v` that `metadataIn` reads. */
export const metadataColumns: string =
  `v.metadata, v.metadata_view_hash, ${earlier("metadata")} AS whole_metadata, ` +
  `${earlier("metadata_view_hash")} AS whole_hash`;

/** Selects a column from the row that a row names; null if it names none. */
function earlier(column: string): string {
  return `CASE WHEN ${refers} THEN (SELECT m.${column} FROM versions m WHERE m.object = v.object AND m.version = ${named}) END`;
}

/** The beginning of a text that is a difference: the number of the version, and the lengths of what is kept. */
const difference = /^=(\d+):(\d+):(\d+):/u;

/** The longest new part, in characters, of a difference. A longer one is shorter if it is packed with the rest. */
const longestMiddle = 48;

/** Returns the number of the version whose row has the whole metadata: that of the row, or an earlier one. */
export function wholeVersionOf(row: Row): number {
  const { metadata } = row;
  if (typeof metadata === "number") return metadata;
  const found = typeof metadata === "string" ? difference.exec(metadata)?.[1] : undefined;
  return found === undefined ? number(row, "version") : Number(found);
}

/** Returns the metadata of a row with `metadataColumns`. Throws `DamageError` if they cannot be read. */
export function metadataIn(row: Row): RowMetadata {
  const version = wholeVersionOf(row);
  const isWhole = version === row["version"];
  const text = isWhole ? row["metadata"] : row["whole_metadata"];
  const hash = hexOf(isWhole ? row["metadata_view_hash"] : row["whole_hash"]);
  return metadataFrom(row, { version, text: unpackText(text), hash });
}

/** Returns the metadata of a row, of which the whole metadata are known. */
export function metadataFrom(row: Row, whole: WholeMetadata): RowMetadata {
  const own = row["metadata"];
  if (typeof own !== "string" || !own.startsWith("=")) return { ...whole, whole };
  const found = difference.exec(own);
  if (found === null) throw new DamageError("the metadata of a version cannot be read");
  const [start = "", , prefix, suffix] = found;
  const [kept, end] = [Number(prefix), whole.text.length - Number(suffix)];
  const text = whole.text.slice(0, kept) + own.slice(start.length) + whole.text.slice(end);
  return { text, hash: hexOf(row["metadata_view_hash"]), whole };
}

/** The stored form of the metadata of a version. */
export interface StoredMetadataRow {
  readonly metadata: SqlValue | bigint;
  /** Whether the row needs a `metadata_view_hash` of its own. */
  readonly hasHash: boolean;
  readonly whole: WholeMetadata;
}

/**
 * Returns the stored form of metadata: the number of an earlier version that has the same, their difference from an
 * earlier version if it is short, or the text. `known` is what the version before names, and `before` its metadata. If
 * they stay, the text is stored, which the next versions can name.
 */
export function storedMetadata(
  known: WholeMetadata | undefined,
  before: string | undefined,
  own: WholeMetadata,
): StoredMetadataRow {
  const whole = (): StoredMetadataRow => ({
    metadata: packText(own.text),
    hasHash: true,
    whole: own,
  });
  if (known === undefined) return whole();
  // A bigint is bound as INTEGER. A number would be bound as REAL, and this column of type ANY would keep it so.
  if (known.text === own.text && known.hash === own.hash)
    return { metadata: BigInt(known.version), hasHash: false, whole: known };
  if (before === own.text) return whole();
  const { prefix, suffix, between } = sharedSpan(known.text, own.text);
  if (between.length > longestMiddle) return whole();
  const metadata = `=${known.version}:${prefix}:${suffix}:${between}`;
  return { metadata, hasHash: true, whole: known };
}
