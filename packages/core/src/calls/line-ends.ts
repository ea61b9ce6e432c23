/** Returns a text with a line feed for each line end of two characters. */
export function lineFeedsOnly(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
