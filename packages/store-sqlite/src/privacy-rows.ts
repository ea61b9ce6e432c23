import {
  addForgotten,
  type ForgottenText,
  readChangesPosition,
  type StorePrivacy,
} from "@self-context-manager/objects";
import { randomBytes } from "node:crypto";

import type { Connection } from "./connection.ts";
import { sumOf } from "./row-sums.ts";
import { number, parse } from "./row-values.ts";
import { DamageError, isDamage } from "./sqlite-errors.ts";

/**
 * The key of the store with the number of rewrites, and the forgotten texts.
 *
 * - `forgotten.text` is a `ForgottenText` as JSON.
 * - `sum` is the checksum of the other values of the row, by `sumOf`.
 */
export const privacyTables = `
  CREATE TABLE privacy (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE forgotten (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
`;

interface PrivacyRow {
  readonly key: string;
  readonly generation: number;
}

/** Returns the key and the number of rewrites. Throws `DamageError` if they are not those that were written. */
export function readPrivacy(connection: Connection): PrivacyRow {
  const row = connection.first("SELECT key, generation, sum FROM privacy WHERE one = 1");
  if (row === undefined) throw new DamageError("the key of the store is missing");
  const privacy = { key: String(row["key"]), generation: number(row, "generation") };
  if (sumOf(privacy.key, privacy.generation) !== row["sum"])
    throw new DamageError("the key of the store is not as it was stored");
  return privacy;
}

/** Returns the number of rewrites. A damaged row counts as none: then positions from before begin again, and nothing else. */
export function generationOf(connection: Connection): number {
  try {
    return readPrivacy(connection).generation;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return 0;
  }
}

/** Whether a position in the order of versions is one from before a rewrite. */
export function isFromBefore(connection: Connection, position: string): boolean {
  return readChangesPosition(position, generationOf(connection)).isRestarted;
}

/** Returns all that the store keeps of private texts. */
export function allPrivacy(connection: Connection): StorePrivacy {
  return { ...readPrivacy(connection), forgotten: readForgotten(connection) };
}

/** Writes the key of a new store, or the number of rewrites. */
export function writePrivacy(
  connection: Connection,
  { key, generation }: PrivacyRow = { key: randomBytes(32).toString("hex"), generation: 0 },
): void {
  connection.run(
    "INSERT OR REPLACE INTO privacy (one, key, generation, sum) VALUES (1, ?, ?, ?)",
    key,
    generation,
    sumOf(key, generation),
  );
}

/** Returns the forgotten texts, in the order in which they were forgotten. */
export function readForgotten(connection: Connection): readonly ForgottenText[] {
  return connection
    .all("SELECT number, text, sum FROM forgotten ORDER BY number")
    .map((row): ForgottenText => {
      const text = String(row["text"]);
      if (sumOf(number(row, "number"), text) !== row["sum"])
        throw new DamageError("a forgotten text is not as it was stored");
      return parse(text) as ForgottenText;
    });
}

/** Adds forgotten texts that are not known yet. */
export function writeForgotten(connection: Connection, added: readonly ForgottenText[]): void {
  const known = readForgotten(connection);
  addForgotten(known, added)
    .slice(known.length)
    .forEach((forgotten, index) => {
      const place = known.length + index + 1;
      const text = JSON.stringify(forgotten);
      connection.run(
        "INSERT INTO forgotten (number, text, sum) VALUES (?, ?, ?)",
        place,
        text,
        sumOf(place, text),
      );
    });
}
