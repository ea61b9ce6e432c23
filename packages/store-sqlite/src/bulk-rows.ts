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
} from "@self-context-manager/objects";

import { type Connection, type Row, sqliteCode, type SqlValue } from "./connection.ts";
import type { Head } from "./head.ts";
import { versionNamed } from "./object-rows.ts";
import { unpackText } from "./packed-text.ts";
import { sumOf, textSum } from "./row-sums.ts";
import { hexOf, number, parse, previousOf } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";

/** The bulk fields of a version, from which those of later versions can be rebuilt. */
export interface BulkFields {
  readonly version: number;
  readonly bulk: JsonObject;
}

/** Rebuilds the bulk fields of versions from the deltas in their rows. */
export interface BulkReader {
  /** Returns the bulk fields of the version of a row, from those of the known head if they can be used. */
  at(row: Row, known: Head | undefined): JsonObject;
  /** Forgets the bulk fields that were rebuilt last. */
  forget(): void;
  /** Returns the bulk fields of the version of a row with its delta, from those of the version before. */
  next(row: Row, before: BulkFields): JsonObject;
}

export function bulkReader(connection: Connection): BulkReader {
  /** The bulk fields that were rebuilt last. With them, reading a whole history applies each delta only once. */
  let recent:
    | { readonly object: number; readonly version: number; readonly bulk: JsonObject }
    | undefined;

  const chunks: ChunkReader = {
    read(key) {
      const row = connection.first("SELECT hash, sum, text FROM chunks WHERE key = ?", Number(key));
      if (row === undefined) throw new DamageError(`text ${key} is missing`);
      const text = unpackText(row["text"]);
      if (sumOfChunk(Number(key), row["hash"], text) !== row["sum"])
        throw new DamageError(`text ${key} is not as it was stored`);
      return text;
    },
  };

  /**
   * Returns the deltas of rows that follow each other, each compared with its checksum. They are parsed one after the
   * other, so that a long chain is not in memory twice. `before` is the number of the version that the first one changes.
   */
  function* deltasIn(rows: readonly Row[], before: number): Iterable<Delta> {
    let last = before;
    for (const row of rows) {
      const version = number(row, "version");
      const delta = row["delta"] === null ? null : unpackText(row["delta"]);
      if (sumOfDelta(number(row, "object"), chainPlaceIn(row), delta) !== row["delta_sum"])
        throw new DamageError(
          `the content of ${versionNamed(connection, row)} is not as it was stored`,
        );
      if (version !== row["base"] && last !== previousOf(row))
        throw new DamageError(
          `the content of ${versionNamed(connection, row)} depends on a lost version`,
        );
      last = version;
      if (delta !== null) yield parse(delta) as Delta;
    }
  }

  function rebuild(start: JsonObject, rows: readonly Row[], before: number): JsonObject {
    let bulk: JsonValue | undefined;
    try {
      const deltas = deltasIn(rows, before);
      if (rows.length === 1) {
        const [only] = deltas;
        bulk = only === undefined ? start : applyDelta(start, only, chunks);
      } else bulk = applyDeltas(start, deltas, chunks);
    } catch (cause) {
      if (cause instanceof DamageError || sqliteCode(cause) !== undefined) throw cause;
      throw new DamageError("a version cannot be rebuilt from its deltas", { cause });
    }
    if (!isJsonObject(bulk)) throw new DamageError("a version is not a JSON object");
    return bulk;
  }

  function startingPoint(row: Row, known: Head | undefined): BulkFields {
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
    forget() {
      recent = undefined;
    },
    at(row, known) {
      const version = number(row, "version");
      const start = startingPoint(row, known);
      const object = number(row, "object");
      const rows = connection.all(
        "SELECT object, version, previous, base, delta, delta_sum FROM versions " +
          "WHERE object = ? AND version > ? AND version <= ? ORDER BY version",
        object,
        start.version,
        version,
      );
      const last = rows.at(-1)?.["version"] ?? start.version;
      if (last !== version) throw new DamageError(`${versionNamed(connection, row)} is missing`);
      const bulk = rebuild(start.bulk, rows, start.version);
      deepFreeze(bulk);
      recent = { object, version, bulk };
      return bulk;
    },
    next(row, before) {
      // A whole version begins a new chain.
      const start = row["base"] === row["version"] ? {} : before.bulk;
      const bulk = rebuild(start, [row], before.version);
      deepFreeze(bulk);
      return bulk;
    },
  };
}

/** The place of a version among those of its object. */
export interface ChainPlace {
  readonly version: number;
  /** The number of the version before; null if it is the number before this one. */
  readonly previous: number | null;
  readonly base: number;
}

export function chainPlaceIn(row: Row): ChainPlace {
  return {
    version: number(row, "version"),
    previous: row["previous"] as number | null,
    base: number(row, "base"),
  };
}

/** Returns the checksum of a version's delta, which is null if the bulk fields are those of the version before. */
export function sumOfDelta(
  object: number,
  { version, previous, base }: ChainPlace,
  delta: string | null,
): number {
  return sumOf(object, version, previous, base, delta === null ? null : textSum(delta));
}

/** Returns the checksum of the row of a long text. */
export function sumOfChunk(key: number, hash: SqlValue | undefined, text: string): number {
  return sumOf(key, hexOf(hash), textSum(text));
}
