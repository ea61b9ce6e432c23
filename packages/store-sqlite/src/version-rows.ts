import {
  bulkOf,
  metadataOf,
  type ObjectBody,
  type ObjectHashes,
  type ObjectId,
  sha256,
  type StoredMetadata,
  type StoredVersion,
  wholeVersion,
} from "@self-context-manager/objects";

import { type BulkFields, bulkReader, type ChainPlace, chainPlaceIn } from "./bulk-rows.ts";
import type { Connection, Row } from "./connection.ts";
import type { Head, Heads } from "./head.ts";
import { objectOf, versionNamed } from "./object-rows.ts";
import { unpackText } from "./packed-text.ts";
import { sumOf, textSum } from "./row-sums.ts";
import { hexOf, number, parse, pointOf } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";

const ownColumns =
  "v.object, v.version, v.previous, v.tx_id, v.tx_time, v.content_hash, v.object_hash, v.hash_rule, v.further_hashes, " +
  "v.base, v.weight, v.size, v.sum";

/** The columns of `versions v` that `VersionReader` reads. */
export const versionColumns: string =
  `${ownColumns}, ${shared("metadata_view_hash")}, ${shared("metadata")}, ` +
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

/** Reads versions from their rows. Each row is compared with its checksum; a difference is a `DamageError`. */
export interface VersionReader {
  /** Returns the latest version of an object, from the cache if the cached one is still the latest. */
  head(id: ObjectId): Head | undefined;
  /** Forgets what was read, because the rows can have been written again. */
  forget(): void;
  /** Returns the version of a row that `selectVersion` found. */
  version(row: Row): StoredVersion;
  /** Returns the metadata of a row with `versionColumns`. */
  metadata(row: Row): StoredMetadata;
  /**
   * Returns the versions of rows that `selectInOrder` found, in order. Each delta is read once. `before` is an earlier
   * version of the object: the rows contain all versions after it, or their chain begins later.
   */
  inOrder(rows: readonly Row[], before: StoredVersion | undefined): readonly StoredVersion[];
}

export const selectVersion: string = `SELECT ${versionColumns} FROM versions v`;

/** The columns that reading in order needs. Those that several versions share are read once, from their own row. */
export const selectInOrder: string = `SELECT ${ownColumns}, v.metadata_view_hash, v.metadata, v.delta, v.delta_sum FROM versions v`;

export function versionReader(connection: Connection, heads: Heads): VersionReader {
  const bulk = bulkReader(connection);

  function read(row: Row, known: Head | undefined): StoredVersion {
    const shown = shownBy(row, number(row, "shown"));
    const version = checked(row, shown);
    return wholeVersion(parseBody(shown.text), bulk.at(row, known), version);
  }

  /** Runs the reading of a row. Damage that names no version gets the name of the row's. */
  function named<Result>(row: Row, work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      if (!(cause instanceof DamageError)) throw cause;
      const name = versionNamed(connection, row);
      if (cause.message.includes(name)) throw cause;
      throw new DamageError(`${name} cannot be read: ${cause.message}`, { cause });
    }
  }

  /** Returns all of a version but its body. Throws `DamageError` if the row is not as it was written. */
  function checked(row: Row, shown: Shown): Omit<StoredVersion, "body"> {
    const version = versionOf(row, shown.hash);
    if (sumOfVersion(version, placeIn(row, shown.version), shown.sum) !== row["sum"])
      throw new DamageError(`${versionNamed(connection, row)} is not as it was stored`);
    return version;
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
    return shownBy(own ?? {}, version);
  }

  return {
    head(id) {
      const object = objectOf(connection, id);
      if (object === undefined) return undefined;
      const known = heads.get(id);
      if (known?.stored.version === object.head) return known;
      const row = connection.first(
        `${selectVersion} WHERE v.object = ? AND v.version = ?`,
        object.key,
        object.head,
      );
      if (row === undefined) throw new DamageError(`the latest version of object ${id} is missing`);
      if (row["object"] !== object.key || row["version"] !== object.head)
        throw new DamageError(`the index of versions is wrong for object ${id}`);
      const head: Head = {
        key: object.key,
        stored: named(row, () => read(row, known)),
        base: number(row, "base"),
        weight: number(row, "weight"),
        size: number(row, "size"),
        shown: number(row, "shown"),
      };
      heads.set(id, head);
      return head;
    },
    forget() {
      heads.clear();
      bulk.forget();
    },
    version: (row) => named(row, () => read(row, undefined)),
    metadata: (row) =>
      named(row, () => {
        const shown = shownBy(row, number(row, "shown"));
        const version = checked(row, shown);
        return { body: metadataOf(parseBody(shown.text)), ...version };
      }),
    inOrder(rows, earlier) {
      let last: BulkFields | undefined =
        earlier === undefined
          ? undefined
          : { version: earlier.version, bulk: bulkOf(earlier.body) };
      let shown: (Shown & { readonly metadata: ObjectBody }) | undefined;
      return rows.map((row) =>
        named(row, () => {
          const [version, base] = [number(row, "version"), number(row, "base")];
          const { metadata } = row;
          const shownAt = typeof metadata === "number" ? metadata : version;
          // Most versions of a session or a view have the metadata of an earlier one.
          if (shown?.version !== shownAt) {
            const found = shownIn(row, shownAt);
            shown = { ...found, metadata: parseBody(found.text) };
          }
          const rest = checked(row, shown);
          const before = last !== undefined && last.version >= base - 1 ? last : undefined;
          last = {
            version,
            bulk: before === undefined ? bulk.at(row, undefined) : bulk.next(row, before),
          };
          return wholeVersion(shown.metadata, last.bulk, rest);
        }),
      );
    },
  };
}

/** The metadata of a version as JSON, its checksum, and the version whose row contains it. */
interface Shown {
  readonly version: number;
  readonly text: string;
  readonly sum: number;
  readonly hash: string;
}

function shownBy(row: Row, version: number): Shown {
  const text = unpackText(row["metadata"]);
  return { version, text, sum: textSum(text), hash: hexOf(row["metadata_view_hash"]) };
}

/** What a version's row contains besides the version. */
export interface RowPlace extends ChainPlace {
  readonly object: number;
  readonly weight: number;
  readonly size: number;
  /** The number of the version whose row contains the metadata. */
  readonly shown: number;
}

function placeIn(row: Row, shown: number): RowPlace {
  return {
    ...chainPlaceIn(row),
    object: number(row, "object"),
    weight: number(row, "weight"),
    size: number(row, "size"),
    shown,
  };
}

/** Returns the checksum of a version's row; `metadata` is the sum of its metadata. */
export function sumOfVersion(
  { hashes, at }: Omit<StoredVersion, "body">,
  { object, version, previous, base, weight, size, shown }: RowPlace,
  metadata: number,
): number {
  const time = Date.parse(at.tx_time);
  const place = [object, version, previous, at.tx_id, time, base, weight, size, shown, metadata];
  const { content_hash, metadata_view_hash, object_hash, hash_rule, ...further } = hashes;
  return sumOf(
    ...place,
    content_hash,
    metadata_view_hash,
    object_hash,
    hash_rule,
    ...Object.entries(further).flat(),
  );
}

function parseBody(metadata: string): ObjectBody {
  return parse(metadata) as ObjectBody;
}

function versionOf(row: Row, metadataViewHash: string): Omit<StoredVersion, "body"> {
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
