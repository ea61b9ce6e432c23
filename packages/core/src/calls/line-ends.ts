/** Returns a text without a byte order mark, and with a line feed for each line end of two characters. */
export function lineFeedsOnly(text: string): string {
  return text.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");
}
