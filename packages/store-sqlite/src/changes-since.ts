import {
  type Changes,
  type ChangesOptions,
  changesPosition,
  checkLimit,
  readChangesPosition,
  type StoredMetadata,
} from "@self-context-manager/objects";

import { readClock } from "./clock-row.ts";
import type { Connection, Row } from "./connection.ts";
import { objectColumns, readObject } from "./object-rows.ts";
import { generationOf } from "./privacy-rows.ts";
import { number } from "./row-values.ts";
import { DamageError, isDamage } from "./sqlite-errors.ts";
import { versionColumns, type VersionReader } from "./version-rows.ts";

const selectChanges = `SELECT v.seq, ${versionColumns} FROM versions v WHERE v.seq`;

/** SQLite treats a negative limit as no limit. */
const noLimit = -1;

/**
 * Returns the versions that were added after a position. Rows are numbered without gaps, also after a removal, so a missing
 * one is noticed.
 */
export function changesSince(
  connection: Connection,
  reader: VersionReader,
  position: string | undefined,
  { limit, skipDamaged = false, counts = false }: ChangesOptions,
): Changes {
  const generation = generationOf(connection);
  const { place: start, isRestarted } = readChangesPosition(position, generation);
  const at = (place: number): Pick<Changes, "position" | "left" | "restarted"> => ({
    position: changesPosition(place, generation),
    ...(counts ? { left: Math.max(0, readClock(connection).versions - place) } : {}),
    ...(isRestarted ? { restarted: true } : {}),
  });
  const most = limit === undefined ? noLimit : checkLimit(limit);
  try {
    const rows = connection.all(`${selectChanges} > ? ORDER BY v.seq LIMIT ?`, start, most);
    const isEnd = rows.length !== most;
    checkNumbers(rows, start, isEnd ? readClock(connection).versions : undefined);
    return {
      versions: rows.map((row) => reader.metadata(row)),
      ...at(start + rows.length),
    };
  } catch (error) {
    if (!skipDamaged || !isDamage(error)) throw error;
    const { reached, ...sound } = soundChanges(connection, reader, start, most);
    return { ...sound, ...at(reached) };
  }
}

/** Throws `DamageError` if a row is missing after a number. `last` is the number of the last one, if it is known. */
function checkNumbers(rows: readonly Row[], after: number, last: number | undefined): void {
  rows.forEach((row, index) => {
    if (row["seq"] !== after + index + 1)
      throw new DamageError(`a version before row ${number(row, "seq")} is missing`);
  });
  if (last !== undefined && after + rows.length < last)
    throw new DamageError(`${last} versions were stored, and the last ones are missing`);
}

/** Returns the versions after a position whose metadata can be read, and counts the others. */
function soundChanges(
  connection: Connection,
  reader: VersionReader,
  start: number,
  limit: number,
): Omit<Changes, "position" | "left" | "restarted"> & { readonly reached: number } {
  const last = lastNumber(connection);
  const end = limit === noLimit ? last : Math.min(last, start + limit);
  const versions: StoredMetadata[] = [];
  const damaged: DamagedVersion[] = [];
  for (let seq = start + 1; seq <= end; seq += 1) {
    try {
      const row = connection.first(`${selectChanges} = ?`, seq);
      if (row !== undefined) versions.push(reader.metadata(row));
    } catch (error) {
      if (!isDamage(error)) throw error;
      damaged.push(...namedAt(connection, seq));
    }
  }
  const reached = Math.max(start, end);
  const skipped = reached - start - versions.length;
  return skipped > 0 ? { versions, reached, skipped, damaged } : { versions, reached };
}

type DamagedVersion = NonNullable<Changes["damaged"]>[number];

/** Returns the object and the number of a damaged row; nothing if they cannot be read or are no version of the object. */
function namedAt(connection: Connection, seq: number): readonly DamagedVersion[] {
  try {
    const row = connection.first(
      `SELECT v.version, ${objectColumns} FROM versions v JOIN objects o ON o.key = v.object WHERE v.seq = ?`,
      seq,
    );
    if (row === undefined) return [];
    const { id, head } = readObject(row);
    const version = number(row, "version");
    return Number.isSafeInteger(version) && version >= 1 && version <= head
      ? [{ id, version }]
      : [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  }
}

/** Returns the number of the last row: as the clock has it, or the greatest one that is found. */
function lastNumber(connection: Connection): number {
  try {
    return readClock(connection).versions;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return Number(connection.first("SELECT max(seq) AS last FROM versions")?.["last"] ?? 0);
  }
}
