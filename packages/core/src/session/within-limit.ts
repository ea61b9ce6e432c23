import type { LineRange } from "@self-context-manager/objects";

/** The most characters of an earlier version or of a chat that one call shows. */
const mostCharacters = 50_000;

/**
 * Returns the text of ranges up to the limit of characters, with the lines that it has; at least one line. `isCut`: whether
 * the last line is longer than the limit, and is there in part.
 */
export function withinLimit(
  text: string,
  ranges: readonly LineRange[],
): { readonly shown: string; readonly kept: readonly LineRange[]; readonly isCut: boolean } {
  const lines = text.split(/(?<=\n)/u);
  const kept: LineRange[] = [];
  let shown = "";
  let isCut = false;
  for (const { from, to } of ranges) {
    let next = from;
    for (; next <= to; next += 1) {
      const whole = (lines[next - 1] ?? "").replace(/\n$/u, "");
      const line = whole.slice(0, mostCharacters);
      if (shown !== "" && shown.length + line.length > mostCharacters) break;
      shown += `${line}\n`;
      isCut = line.length < whole.length;
    }
    if (next > from) kept.push({ from, to: next - 1 });
    if (next <= to) break;
  }
  return { shown, kept, isCut };
}
