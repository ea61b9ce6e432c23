import { deflateRawSync, inflateRawSync } from "node:zlib";

import type { SqlValue } from "./connection.ts";
import { DamageError } from "./sqlite-errors.ts";

/** Shorter texts are kept as they are: little of them would go. */
const shortestPacked = 256;

/** For texts of a few kB a small window and little memory take two thirds of the time, for the same result. */
const quick = { level: 1, windowBits: 13, memLevel: 5 };
const usual = { level: 1 };
const longestQuick = 16_384;

/** A text as it stands in a row: itself, or deflated where that is shorter. */
export function packText(text: string): string | Uint8Array {
  if (text.length < shortestPacked) return text;
  const packed = deflateRawSync(text, text.length <= longestQuick ? quick : usual);
  return packed.length < text.length ? packed : text;
}

/** The text of a row. Throws `DamageError` for what was not packed by `packText`. */
export function unpackText(value: SqlValue | undefined): string {
  if (typeof value === "string") return value;
  if (!(value instanceof Uint8Array)) throw new DamageError("a text is missing");
  try {
    return inflateRawSync(value).toString("utf8");
  } catch (cause) {
    throw new DamageError("a text cannot be unpacked", { cause });
  }
}
