/** Decodes UTF-8 exactly, with a byte order mark kept; null for bytes that are not UTF-8 or contain a NUL. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder throws only for bytes that are not UTF-8, so the result is null.
    return null;
  }
}
