import {
  applyDeltas,
  bulkOf,
  type ChunkReader,
  deepFreeze,
  type Delta,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  metadataOf,
  type ObjectBody,
  type ObjectHashes,
  type ObjectId,
  sha256,
  type StoredMetadata,
  type StoredVersion,
  type VersionPoint,
  wholeVersion,
} from "@self-context-manager/objects";

import { type Connection, type Row, sqliteCode, type SqlValue } from "./connection.ts";
import type { Head, Heads } from "./head.ts";
import { unpackText } from "./packed-text.ts";
import { DamageError } from "./sqlite-errors.ts";

/** The columns of `versions v` that `readMetadata` takes. */
export const metadataColumns: string =
  "v.object, v.version, v.tx_id, v.tx_time, v.content_hash, v.object_hash, v.further_hashes, " +
  `${shared("metadata_view_hash")}, ${shared("metadata")}`;

const bodyColumns =
  `${metadataColumns}, v.base, v.weight, v.size, ` +
  "CASE typeof(v.metadata) WHEN 'integer' THEN v.metadata ELSE v.version END AS shown";

/** A column of the version that has the metadata: itself, or the earlier one whose number stands in its place. */
function shared(column: string): string {
  const earlier = `SELECT m.${column} FROM versions m WHERE m.object = v.object AND m.version = v.metadata`;
  return `CASE typeof(v.metadata) WHEN 'integer' THEN (${earlier}) ELSE v.${column} END AS ${column}`;
}

/** The hash of no text, which most versions of sessions and views have, takes no place. */
const emptyHash = sha256("");

/** A content hash as it stands in its column; undefined for what is none. */
export function contentHashBytes(hash: string): Uint8Array | undefined {
  if (hash === emptyHash) return new Uint8Array(0);
  const bytes = Buffer.from(hash, "hex");
  return bytes.length === 0 ? undefined : bytes;
}

/** Reads versions back from their rows. */
export interface VersionReader {
  /** The latest version of an object, from the cache where that is still the latest. */
  head(id: ObjectId): Head | undefined;
  /** The version whose row has this number. */
  version(row: Row): StoredVersion;
}

export const selectVersion: string = `SELECT ${bodyColumns} FROM versions v`;

export function versionReader(connection: Connection, heads: Heads): VersionReader {
  /** The bulk fields that were rebuilt last: reading a history from end to end costs each delta once. */
  let recent:
    | { readonly object: number; readonly version: number; readonly bulk: JsonObject }
    | undefined;

  const chunks: ChunkReader = {
    read(key) {
      const row = connection.first("SELECT text FROM chunks WHERE key = ?", Number(key));
      if (row === undefined) throw new DamageError(`text ${key} is missing`);
      return unpackText(row["text"]);
    },
  };

  function read(row: Row, known: Head | undefined): StoredVersion {
    const version = number(row, "version");
    const start = startingPoint(row, known);
    const object = number(row, "object");
    const deltas = connection.all(
      "SELECT delta FROM versions WHERE object = ? AND version > ? AND version <= ? AND delta IS NOT NULL ORDER BY version",
      object,
      start.version,
      version,
    );
    const bulk = rebuild(start.bulk, deltas);
    deepFreeze(bulk);
    recent = { object, version, bulk };
    return wholeVersion(parseBody(row), bulk, versionOf(row));
  }

  function rebuild(start: JsonObject, deltas: readonly Row[]): JsonObject {
    let bulk: JsonValue | undefined;
    try {
      bulk = applyDeltas(start, parsedDeltas(deltas), chunks);
    } catch (cause) {
      if (cause instanceof DamageError || sqliteCode(cause) !== undefined) throw cause;
      throw new DamageError("a version does not follow from the one before", { cause });
    }
    if (!isJsonObject(bulk)) throw new DamageError("a version is no object");
    return bulk;
  }

  function startingPoint(
    row: Row,
    known: Head | undefined,
  ): { readonly version: number; readonly bulk: JsonObject } {
    const [object, version, base] = [
      number(row, "object"),
      number(row, "version"),
      number(row, "base"),
    ];
    const fits = (at: number): boolean => at >= base && at <= version;
    if (recent?.object === object && fits(recent.version)) return recent;
    if (known !== undefined && known.key === object && fits(known.stored.version)) {
      return { version: known.stored.version, bulk: bulkOf(known.stored.body) };
    }
    return { version: base - 1, bulk: {} };
  }

  return {
    head(id) {
      const object = connection.first("SELECT key, head FROM objects WHERE id = ?", id);
      if (object === undefined) return undefined;
      const known = heads.get(id);
      if (known?.stored.version === object["head"]) return known;
      const row = connection.first(
        `${selectVersion} WHERE v.object = ? AND v.version = ?`,
        number(object, "key"),
        number(object, "head"),
      );
      if (row === undefined) throw new DamageError(`the latest version of object ${id} is missing`);
      const head: Head = {
        key: number(object, "key"),
        stored: read(row, known),
        base: number(row, "base"),
        weight: number(row, "weight"),
        size: number(row, "size"),
        shown: number(row, "shown"),
      };
      heads.set(id, head);
      return head;
    },
    version: (row) => read(row, undefined),
  };
}

/** One after the other: a long chain need not be in memory twice. */
function* parsedDeltas(rows: readonly Row[]): Iterable<Delta> {
  for (const { delta } of rows) yield parse(unpackText(delta)) as Delta;
}

export function readMetadata(row: Row): StoredMetadata {
  return { body: metadataOf(parseBody(row)), ...versionOf(row) };
}

function parseBody(row: Row): ObjectBody {
  return parse(unpackText(row["metadata"])) as ObjectBody;
}

function versionOf(row: Row): Omit<StoredVersion, "body"> {
  const further = row["further_hashes"];
  const hashes = {
    ...(typeof further === "string" ? (parse(further) as Record<string, string>) : {}),
    content_hash: hexOf(row["content_hash"]) || emptyHash,
    metadata_view_hash: hexOf(row["metadata_view_hash"]),
    object_hash: hexOf(row["object_hash"]),
  };
  return {
    hashes: Object.freeze(hashes) as ObjectHashes,
    version: number(row, "version"),
    at: Object.freeze(pointOf(row)),
  };
}

/** The point in the columns `tx_id` and `tx_time`. */
export function pointOf(row: Row): VersionPoint {
  return {
    tx_id: number(row, "tx_id"),
    tx_time: new Date(number(row, "tx_time")).toISOString(),
  };
}

/** A number that the schema says is there. */
export function number(row: Row, column: string): number {
  return row[column] as number;
}

/** A hash in a column, as text. */
export function hexOf(value: SqlValue | undefined): string {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")
    : "";
}

function parse(text: SqlValue | undefined): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch (cause) {
    throw new DamageError("a version cannot be read", { cause });
  }
}
