import { messageOf } from "@self-context-manager/objects";

import { sumOfChunk } from "./bulk-rows.ts";
import { readClock } from "./clock-row.ts";
import type { Connection, Row } from "./connection.ts";
import { inRanges } from "./in-ranges.ts";
import { objectColumns, readObject } from "./object-rows.ts";
import { unpackText } from "./packed-text.ts";
import { sumOf } from "./row-sums.ts";
import { isOlder } from "./schema.ts";
import { number } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";

/** The tables of small rows whose sum is over all other columns, and these columns. */
const smallTables: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ["requests", ["id", "digest", "outcome"]],
  ["document_names", ["key", "object"]],
  ["document_tags", ["tag", "object"]],
  ["document_links", ["object", "place", "link"]],
  ["document_link_keys", ["key", "object", "place"]],
  ["document_state", ["parser", "position"]],
  ["privacy", ["key", "generation"]],
  ["forgotten", ["number", "text"]],
];

/**
 * Compares the rows with their checksums, except those of versions, which are read for their own check. Returns a sentence
 * for each table with a damaged row.
 */
export function damagedSums(connection: Connection): readonly string[] {
  const checks: readonly (readonly [table: string, check: () => void])[] = [
    ["clock", () => void readClock(connection)],
    [
      "objects",
      () => checkRows(connection, `${objectColumns} FROM objects o`, "o.key", readObject),
    ],
    ["chunks", () => checkRows(connection, "key, hash, sum, text FROM chunks", "key", checkChunk)],
    ...smallTables.map(
      ([table, columns]) => [table, () => checkSmall(connection, table, columns)] as const,
    ),
  ];
  return checks.flatMap(([table, check]) => {
    try {
      check();
      return [];
    } catch (cause) {
      return [`a row of the table ${table} is damaged: ${messageOf(cause)}`];
    }
  });
}

function checkRows(
  connection: Connection,
  columns: string,
  key: string,
  check: (row: Row) => unknown,
): void {
  const table = columns.slice(columns.indexOf("FROM"));
  const last = Number(connection.first(`SELECT max(${key}) AS last ${table}`)?.["last"] ?? 0);
  const rows = inRanges(1, last, (from, to) =>
    connection.all(`SELECT ${columns} WHERE ${key} BETWEEN ? AND ?`, from, to),
  );
  for (const row of rows) {
    if ("unreadable" in row) throw row.cause;
    check(row);
  }
}

function checkChunk(row: Row): void {
  const key = number(row, "key");
  if (sumOfChunk(key, row["hash"], unpackText(row["text"])) !== row["sum"])
    throw new DamageError(`text ${key} is not as it was stored`);
}

function checkSmall(connection: Connection, table: string, columns: readonly string[]): void {
  // A file that no program has opened since the table was added to the schema lacks it.
  if (isOlder(connection, table)) return;
  for (const row of connection.all(`SELECT ${columns.join(", ")}, sum FROM ${table}`)) {
    const values = columns.map((column) => row[column] as string | number);
    if (sumOf(...values) !== row["sum"]) throw new DamageError("a value is not as it was stored");
  }
}
