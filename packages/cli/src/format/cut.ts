/** A text on one line, with blanks instead of runs of white space, cut to a length. */
export function cutLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}
