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
import {
  metadataColumns,
  metadataFrom,
  metadataIn,
  type RowMetadata,
  type WholeMetadata,
  wholeVersionOf,
} from "./metadata-rows.ts";
import { objectOf, versionNamed } from "./object-rows.ts";
import { unpackText } from "./packed-text.ts";
import { sumOf, textSum } from "./row-sums.ts";
import { hexOf, number, parse, pointOf } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";

const ownColumns =
  "v.object, v.version, v.previous, v.tx_id, v.tx_time, v.content_hash, v.object_hash, v.hash_rule, v.further_hashes, " +
  "v.base, v.weight, v.size, v.sum";

/** The columns of `versions v` that `VersionReader` reads. */
export const versionColumns: string = `${ownColumns}, ${metadataColumns}`;

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

  function read(row: Row, known: Head | undefined, metadata = metadataIn(row)): StoredVersion {
    const version = checked(row, metadata);
    return wholeVersion(parseBody(metadata.text), bulk.at(row, known), version);
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
  function checked(row: Row, { text, hash, whole }: RowMetadata): Omit<StoredVersion, "body"> {
    const version = versionOf(row, hash);
    if (sumOfVersion(version, placeIn(row, whole.version), textSum(text)) !== row["sum"])
      throw new DamageError(`${versionNamed(connection, row)} is not as it was stored`);
    return version;
  }

  /** Returns the whole metadata of a version from its own row, or from the row that it names. */
  function wholeIn(row: Row, version: number): WholeMetadata {
    const own =
      version === row["version"]
        ? row
        : connection.first(
            "SELECT metadata, metadata_view_hash FROM versions WHERE object = ? AND version = ?",
            number(row, "object"),
            version,
          );
    return {
      version,
      text: unpackText(own?.["metadata"]),
      hash: hexOf(own?.["metadata_view_hash"]),
    };
  }

  return {
    head(id) {
      const latest = heads.latest(id);
      if (latest !== undefined) return latest;
      const object = objectOf(connection, id);
      if (object === undefined) return undefined;
      const known = heads.get(id);
      if (known?.stored.version === object.head) {
        heads.set(id, known);
        return known;
      }
      const row = connection.first(
        `${selectVersion} WHERE v.object = ? AND v.version = ?`,
        object.key,
        object.head,
      );
      if (row === undefined) throw new DamageError(`the latest version of object ${id} is missing`);
      if (row["object"] !== object.key || row["version"] !== object.head)
        throw new DamageError(`the index of versions is wrong for object ${id}`);
      const metadata = named(row, () => metadataIn(row));
      const head: Head = {
        key: object.key,
        stored: named(row, () => read(row, known, metadata)),
        base: number(row, "base"),
        weight: number(row, "weight"),
        size: number(row, "size"),
        whole: metadata.whole,
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
        const metadata = metadataIn(row);
        const version = checked(row, metadata);
        return { body: metadataOf(parseBody(metadata.text)), ...version };
      }),
    inOrder(rows, earlier) {
      let last: BulkFields | undefined =
        earlier === undefined
          ? undefined
          : { version: earlier.version, bulk: bulkOf(earlier.body) };
      let whole: WholeMetadata | undefined;
      let shown: { readonly text: string; readonly body: ObjectBody } | undefined;
      return rows.map((row) =>
        named(row, () => {
          const [version, base] = [number(row, "version"), number(row, "base")];
          const wholeAt = wholeVersionOf(row);
          if (whole?.version !== wholeAt) whole = wholeIn(row, wholeAt);
          const metadata = metadataFrom(row, whole);
          // Most versions of a session or a view have the metadata of an earlier one.
          if (shown?.text !== metadata.text)
            shown = { text: metadata.text, body: parseBody(metadata.text) };
          const rest = checked(row, metadata);
          const before = last !== undefined && last.version >= base - 1 ? last : undefined;
          last = {
            version,
            bulk: before === undefined ? bulk.at(row, undefined) : bulk.next(row, before),
          };
          return wholeVersion(shown.body, last.bulk, rest);
        }),
      );
    },
  };
}

/** What a version's row contains besides the version. */
export interface RowPlace extends ChainPlace {
  readonly object: number;
  readonly weight: number;
  readonly size: number;
  /** The number of the version whose row has the whole metadata. */
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
