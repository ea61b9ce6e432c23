/** Bytes as text, unit for unit with a byte order mark kept; null for what is not UTF-8 or has a NUL, as no text has. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder throws for bytes that are not UTF-8 only: that is the answer.
    return null;
  }
}
