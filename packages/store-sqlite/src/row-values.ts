import type { VersionPoint } from "@self-context-manager/objects";

import type { Row, SqlValue } from "./connection.ts";
import { DamageError } from "./sqlite-errors.ts";

/** Returns the number of the object's version before the one of a row. */
export function previousOf(row: Row): number {
  return (row["previous"] as number | null) ?? number(row, "version") - 1;
}

/** Returns the version point in the columns `tx_id` and `tx_time`. Throws `DamageError` for a time that no date has. */
export function pointOf(row: Row): VersionPoint {
  const time = new Date(number(row, "tx_time"));
  if (Number.isNaN(time.getTime())) throw new DamageError("a time is not as it was stored");
  return { tx_id: number(row, "tx_id"), tx_time: time.toISOString() };
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

/** Parses a JSON text of a version. Throws `DamageError` for any other text. */
export function parse(text: SqlValue | undefined): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch (cause) {
    throw new DamageError("the JSON of a version cannot be parsed", { cause });
  }
}
