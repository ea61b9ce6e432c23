/** Returns numbered lines. Each has the label and its number, and the given number of characters. */
export function numberedLines(label: string, count: number, width = 60, from = 1): string {
  return Array.from(
    { length: count },
    (_, index) => `${`${label} line ${from + index} `.padEnd(width - 1, "abcdefgh ")}\n`,
  ).join("");
}
