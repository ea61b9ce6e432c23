import { type DatabasePages, view } from "./database-pages.ts";
import type { SqlValue } from "./connection.ts";

/** A row of a table, as a page has it. The column with the row's key is null. */
export interface ScannedRow {
  readonly key: number;
  readonly values: readonly SqlValue[];
}

/** The kind of a page with rows of a table. */
const tableLeaf = 0x0d;

/**
 * Returns the rows of all tables with keys, page by page, in the order of the file. The structure above the rows is not
 * used, so its damage hides no row. A row that is damaged is left out, or has other values: the caller compares hashes.
 */
export function* scanRows(pages: DatabasePages): Generator<ScannedRow> {
  for (let number = 1; number <= pages.last; number += 1) {
    const page = pages.page(number);
    // The first page begins with the header of the file.
    const start = number === 1 ? 100 : 0;
    if (page === undefined || page[start] !== tableLeaf) continue;
    const count = view(page).getUint16(start + 3);
    for (let index = 0; index < count; index += 1) {
      const place = start + 8 + 2 * index;
      if (place + 2 > page.length) break;
      const row = readRow(pages, page, view(page).getUint16(place));
      if (row !== undefined) yield row;
    }
  }
}

function readRow(pages: DatabasePages, page: Uint8Array, at: number): ScannedRow | undefined {
  try {
    const size = readNumber(page, at);
    const key = readNumber(page, size.next);
    const payload = readPayload(pages, page, key.next, size.value);
    return { key: key.value, values: readRecord(payload) };
  } catch {
    // The row is damaged. Rows that lack something because of it are found by their hashes.
    return undefined;
  }
}

/** Reads the bytes of a row: the first ones are in its page, and the rest in a chain of further pages. */
function readPayload(pages: DatabasePages, page: Uint8Array, at: number, size: number): Uint8Array {
  const { length } = page;
  const local = localBytes(size, length);
  if (size > length * pages.last || at + local > length) throw damage;
  const payload = new Uint8Array(size);
  payload.set(page.subarray(at, at + local));
  let filled = local;
  let next = filled < size ? view(page).getUint32(at + local) : 0;
  while (filled < size) {
    const further = pages.page(next);
    if (next === 0 || further === undefined) throw damage;
    const part = further.subarray(4, 4 + Math.min(size - filled, length - 4));
    payload.set(part, filled);
    filled += part.length;
    next = view(further).getUint32(0);
  }
  return payload;
}

/** The number of a row's bytes in its own page (sqlite.org/fileformat2.html, "B-tree Cell Format"). */
function localBytes(size: number, page: number): number {
  const most = page - 35;
  if (size <= most) return size;
  const least = Math.floor(((page - 12) * 32) / 255) - 23;
  const wanted = least + ((size - least) % (page - 4));
  return wanted <= most ? wanted : least;
}

function readRecord(bytes: Uint8Array): readonly SqlValue[] {
  const header = readNumber(bytes, 0);
  const values: SqlValue[] = [];
  let at = header.value;
  for (let next = header.next; next < header.value;) {
    const type = readNumber(bytes, next);
    next = type.next;
    const length = lengthOf(type.value);
    if (at + length > bytes.length) throw damage;
    values.push(readValue(bytes, at, type.value, length));
    at += length;
  }
  if (at !== bytes.length) throw damage;
  return values;
}

/** Bytes of the values of types 0 to 9. Types 10 and 11 are not used. */
const lengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  const length = type >= 12 ? (type - 12) >> 1 : lengths[type];
  if (length === undefined) throw damage;
  return length;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readValue(bytes: Uint8Array, at: number, type: number, length: number): SqlValue {
  if (type === 0) return null;
  if (type >= 12) {
    const part = bytes.slice(at, at + length);
    return type % 2 === 0 ? part : decoder.decode(part);
  }
  if (type >= 8) return type - 8;
  if (type === 7) return view(bytes).getFloat64(at);
  let value = BigInt(0);
  for (let index = 0; index < length; index += 1)
    value = (value << BigInt(8)) | BigInt(bytes[at + index] ?? 0);
  return Number(BigInt.asIntN(8 * length, value));
}

/** Reads a number of one to nine bytes. */
function readNumber(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw damage;
    value = value * 128 + (byte & 0x7f);
    // No size and no key of a store is near the numbers of nine bytes.
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  throw damage;
}

const damage = new RangeError("the row is damaged");
