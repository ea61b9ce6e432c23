/** The limits of Pi's tools. */
const mostLines = 2_000;
const mostBytes = 50 * 1_024;

/** Returns the first lines that a tool shows. */
export function startOf(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = lines.slice(0, mostLines).findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > mostBytes;
  });
  return lines.slice(0, end === -1 ? mostLines : end);
}

/** Returns the last lines of an output that a tool shows, with a line that says how many are left out. */
export function endOf(output: string): string {
  const lines = output.trimEnd().split("\n");
  const shown = startOf(lines.toReversed()).toReversed();
  if (shown.length === lines.length) return lines.join("\n");
  // One long line has no end of a line to cut at.
  if (shown.length === 0) return `[…]${(lines.at(-1) ?? "").slice(-mostBytes / 4)}`;
  return `[${lines.length - shown.length} lines before are left out]\n${shown.join("\n")}`;
}
