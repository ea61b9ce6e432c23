import {
  applyDelta,
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

/** The columns of `versions v` that `readMetadata` reads. */
export const metadataColumns: string =
  "v.object, v.version, v.tx_id, v.tx_time, v.content_hash, v.object_hash, v.hash_rule, v.further_hashes, " +
  `${shared("metadata_view_hash")}, ${shared("metadata")}`;

const bodyColumns =
  `${metadataColumns}, v.base, v.weight, v.size, ` +
  "CASE typeof(v.metadata) WHEN 'integer' THEN v.metadata ELSE v.version END AS shown";

/** Selects a column from the row with the metadata: the version's own row, or the row of the version that it names. */
function shared(column: string): string {
  const earlier = `SELECT m.${column} FROM versions m WHERE m.object = v.object AND m.version = v.metadata`;
  return `CASE typeof(v.metadata) WHEN 'integer' THEN (${earlier}) ELSE v.${column} END AS ${column}`;
}

/** The hash of the empty text. It is stored as an empty value, because most versions of sessions and views have it. */
const emptyHash = sha256("");

/** Returns the stored form of a content hash; undefined for a text that is not a hash. */
export function contentHashBytes(hash: string): Uint8Array | undefined {
  if (hash === emptyHash) return new Uint8Array(0);
  const bytes = Buffer.from(hash, "hex");
  return bytes.length === 0 ? undefined : bytes;
}

/** Reads versions from their rows. */
export interface VersionReader {
  /** Returns the latest version of an object, from the cache if the cached one is still the latest. */
  head(id: ObjectId): Head | undefined;
  /** Returns the version of a row that `selectVersion` found. */
  version(row: Row): StoredVersion;
  /**
   * Returns the versions of rows that `selectInOrder` found, in order. Each delta is read once. `before` is an earlier
   * version of the object: the rows contain all versions after it, or their chain begins later.
   */
  inOrder(rows: readonly Row[], before: StoredVersion | undefined): readonly StoredVersion[];
}

export const selectVersion: string = `SELECT ${bodyColumns} FROM versions v`;

/** The columns that reading in order needs. Those that several versions share are read once, from their own row. */
export const selectInOrder: string =
  "SELECT v.object, v.version, v.tx_id, v.tx_time, v.content_hash, v.object_hash, v.hash_rule, v.further_hashes, " +
  "v.metadata_view_hash, v.metadata, v.base, v.delta FROM versions v";

export function versionReader(connection: Connection, heads: Heads): VersionReader {
  /** The bulk fields that were rebuilt last. With them, reading a whole history applies each delta only once. */
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
    return wholeVersion(parseBody(row), bulkAt(row, known), versionOf(row));
  }

  function bulkAt(row: Row, known: Head | undefined): JsonObject {
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
    return bulk;
  }

  /** Returns the metadata of a version from its own row, or from the row that it names. */
  function shownIn(row: Row, version: number): Shown {
    const own =
      version === row["version"]
        ? row
        : connection.first(
            "SELECT metadata, metadata_view_hash FROM versions WHERE object = ? AND version = ?",
            number(row, "object"),
            version,
          );
    const metadata = parseBody(own ?? {});
    return { version, metadata, hash: hexOf(own?.["metadata_view_hash"]) };
  }

  function rebuild(start: JsonObject, deltas: readonly Row[]): JsonObject {
    let bulk: JsonValue | undefined;
    try {
      const [only] = deltas.length === 1 ? deltas : [];
      bulk =
        only === undefined
          ? applyDeltas(start, parsedDeltas(deltas), chunks)
          : applyDelta(start, parse(unpackText(only["delta"])) as Delta, chunks);
    } catch (cause) {
      if (cause instanceof DamageError || sqliteCode(cause) !== undefined) throw cause;
      throw new DamageError("a version cannot be rebuilt from its deltas", { cause });
    }
    if (!isJsonObject(bulk)) throw new DamageError("a version is not a JSON object");
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
    inOrder(rows, before) {
      let last =
        before === undefined ? undefined : { version: before.version, bulk: bulkOf(before.body) };
      let shown: Shown | undefined;
      return rows.map((row) => {
        const [version, base] = [number(row, "version"), number(row, "base")];
        const { metadata } = row;
        const shownAt = typeof metadata === "number" ? metadata : version;
        // Most versions of a session or a view have the metadata of an earlier one.
        if (shown?.version !== shownAt) shown = shownIn(row, shownAt);
        if (last === undefined || last.version < base - 1) {
          last = { version, bulk: bulkAt(row, undefined) };
        } else {
          // A whole version begins a new chain.
          const start = base === version ? {} : last.bulk;
          const bulk = row["delta"] === null ? start : rebuild(start, [row]);
          deepFreeze(bulk);
          last = { version, bulk };
        }
        return wholeVersion(shown.metadata, last.bulk, versionOf(row, shown.hash));
      });
    },
  };
}

/** The metadata of a version, and the version whose row has them. */
interface Shown {
  readonly version: number;
  readonly metadata: ObjectBody;
  readonly hash: string;
}

/** Parses deltas one after the other, so that a long chain is not in memory twice. */
function* parsedDeltas(rows: readonly Row[]): Iterable<Delta> {
  for (const { delta } of rows) yield parse(unpackText(delta)) as Delta;
}

export function readMetadata(row: Row): StoredMetadata {
  return { body: metadataOf(parseBody(row)), ...versionOf(row) };
}

function parseBody(row: Row): ObjectBody {
  return parse(unpackText(row["metadata"])) as ObjectBody;
}

function versionOf(
  row: Row,
  metadataViewHash: string = hexOf(row["metadata_view_hash"]),
): Omit<StoredVersion, "body"> {
  const further = row["further_hashes"];
  const hashes = {
    ...(typeof further === "string" ? (parse(further) as Record<string, string>) : {}),
    content_hash: hexOf(row["content_hash"]) || emptyHash,
    metadata_view_hash: metadataViewHash,
    object_hash: hexOf(row["object_hash"]),
    hash_rule: number(row, "hash_rule"),
  };
  return {
    hashes: Object.freeze(hashes) as ObjectHashes,
    version: number(row, "version"),
    at: Object.freeze(pointOf(row)),
  };
}

/** Returns the version point in the columns `tx_id` and `tx_time`. */
export function pointOf(row: Row): VersionPoint {
  return {
    tx_id: number(row, "tx_id"),
    tx_time: new Date(number(row, "tx_time")).toISOString(),
  };
}

/** Returns the number in a column that is never null. */
export function number(row: Row, column: string): number {
  return row[column] as number;
}

/** Returns a stored hash as hexadecimal text; the empty text if the column contains no bytes. */
export function hexOf(value: SqlValue | undefined): string {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")
    : "";
}

function parse(text: SqlValue | undefined): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch (cause) {
    throw new DamageError("the JSON of a version cannot be parsed", { cause });
  }
}
