/**
 * Returns what a text has that the text before it has not: the end of one that only grew, or else the lines that are new.
 * A search finds each line in the version that brought it, and no line twice.
 */
export function addedText(before: string, after: string): string {
  if (before === "") return after;
  if (after.startsWith(before)) return after.slice(before.length);
  const known = new Map<string, number>();
  for (const line of before.split("\n")) known.set(line, (known.get(line) ?? 0) + 1);
  const added: string[] = [];
  for (const line of after.split("\n")) {
    const left = known.get(line) ?? 0;
    if (left === 0) added.push(line);
    else known.set(line, left - 1);
  }
  return added.join("\n");
}
