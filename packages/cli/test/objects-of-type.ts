import { crc32 } from "node:zlib";

/** The keys of the objects of a type in a SQLite store, as SQL. */
export function objectsOfType(type: string): string {
  return `(SELECT object FROM field_keys WHERE field = ${crc32(`type\0"${type}"`) | 0})`;
}
