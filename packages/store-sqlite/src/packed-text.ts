import { deflateRawSync, inflateRawSync } from "node:zlib";

import type { SqlValue } from "./connection.ts";
import { packDictionary } from "./pack-dictionary.ts";
import { DamageError } from "./sqlite-errors.ts";

/** Shorter texts are kept as they are: little of them would go. */
const shortestPacked = 32;

/** Up to here a small window and little memory take two thirds of the time, and what is likely is named. */
const longestRow = 4_096;
const ofRows = {
  level: 6,
  windowBits: 12,
  memLevel: 3,
  dictionary: packDictionary,
  // What deflate writes into; the usual one is 16 kB, which costs more than a row.
  chunkSize: 2_048,
};
const ofLong = { level: 1 };

/** A text as it stands in a row: itself, or deflated where that is shorter. */
export function packText(text: string): string | Uint8Array {
  if (text.length < shortestPacked) return text;
  const packed = deflateRawSync(text, text.length <= longestRow ? ofRows : ofLong);
  return packed.length < text.length ? packed : text;
}

/** The text of a row. Throws `DamageError` for what was not packed by `packText`. */
export function unpackText(value: SqlValue | undefined): string {
  if (typeof value === "string") return value;
  if (!(value instanceof Uint8Array)) throw new DamageError("a text is missing");
  try {
    const chunkSize = Math.min(65_536, Math.max(1_024, value.length * 4));
    return inflateRawSync(value, { dictionary: packDictionary, chunkSize }).toString("utf8");
  } catch (cause) {
    throw new DamageError("a text cannot be unpacked", { cause });
  }
}
