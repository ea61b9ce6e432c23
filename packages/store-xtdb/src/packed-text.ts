import { deflateRawSync, inflateRawSync } from "node:zlib";

import { DamageError } from "./xtdb-errors.ts";

/** Packing a shorter text saves less than it costs. */
const shortestPacked = 256;

/** A text deflated and written as base64, undefined where that is no shorter. Documents are JSON and hold no bytes. */
export function packText(text: string): string | undefined {
  if (text.length < shortestPacked) return undefined;
  const packed = deflateRawSync(text, { level: 1 }).toString("base64");
  return packed.length < text.length ? packed : undefined;
}

/** The text that was packed. Throws `DamageError` for what `packText` did not write. */
export function unpackText(packed: string): string {
  try {
    return inflateRawSync(Buffer.from(packed, "base64")).toString("utf8");
  } catch (cause) {
    throw new DamageError("a text cannot be unpacked", { cause });
  }
}
