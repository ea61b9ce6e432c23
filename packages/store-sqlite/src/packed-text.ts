import { deflateRawSync, inflateRawSync } from "node:zlib";

import type { SqlValue } from "./connection.ts";
import { packDictionary } from "./pack-dictionary.ts";
import { DamageError } from "./sqlite-errors.ts";

/**
 * Shortest text, in characters, that is packed. Packing takes at least 25 µs, whatever the length, and shorter rows would
 * lose only a third of their bytes. Files from before have shorter packed texts.
 */
const shortestPacked = 192;

/**
 * Longest text, in characters, that is packed with the settings for rows. Their window has room for the dictionary, which
 * makes the result shorter, and the text. A larger one, or more memory, takes more time and saves nothing.
 */
const longestRow = 4_096;
const ofRows = {
  level: 3,
  windowBits: 13,
  memLevel: 5,
  dictionary: packDictionary,
  // The size of the output buffer in bytes. Allocating the default of 16 kB costs more than packing a row.
  chunkSize: 2_048,
};
const ofLong = { level: 4 };

/** Returns the stored form of a text: deflated if that is shorter, otherwise unchanged. */
export function packText(text: string): string | Uint8Array {
  if (text.length < shortestPacked) return text;
  const packed = deflateRawSync(text, text.length <= longestRow ? ofRows : ofLong);
  return packed.length < text.length ? packed : text;
}

/** Returns the text of a stored form. Throws `DamageError` for a value that `packText` did not make. */
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
