import { deflateRawSync, inflateRawSync } from "node:zlib";

import { DamageError } from "../client/xtdb-errors.ts";

/** Shortest text, in characters, that is packed. For a shorter one packing costs more than it saves. */
const shortestPacked = 256;

/** Returns a text deflated and in base64, because documents are JSON without bytes; undefined if that is not shorter. */
export function packText(text: string): string | undefined {
  if (text.length < shortestPacked) return undefined;
  const packed = deflateRawSync(text, { level: 1 }).toString("base64");
  return packed.length < text.length ? packed : undefined;
}

/** Returns the text that was packed. Throws `DamageError` for a text that `packText` did not write. */
export function unpackText(packed: string): string {
  try {
    return inflateRawSync(Buffer.from(packed, "base64")).toString("utf8");
  } catch (cause) {
    throw new DamageError("a text cannot be unpacked", { cause });
  }
}
