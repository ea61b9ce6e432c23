import { crc32 } from "node:zlib";

/**
 * Returns the checksum (CRC-32) of the values of a row. SQLite detects damage to the structure of its file, and not to
 * the values: without a checksum, a flipped bit would be read as if it had been written.
 *
 * Each row that holds data has such a sum in a column of its own. Long texts are given as their `textSum`.
 */
export function sumOf(...values: readonly (string | number | null)[]): number {
  return crc32(JSON.stringify(values));
}

/** Returns the checksum (CRC-32) of a text. */
export function textSum(text: string): number {
  return crc32(text);
}
