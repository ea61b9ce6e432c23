/** Characters after which a comparison lets other work come in between. */
const sliceCharacters = 100_000;

/**
 * Returns what a text has that the text before it has not: the end of one that only grew, or else the lines that are new.
 * A search finds each line in the version that brought it, and no line twice. The generator stops after each slice.
 */
export function* addedText(before: string, after: string): Generator<void, string> {
  if (before === "") return after;
  if (after.startsWith(before)) return after.slice(before.length);
  const known = new Map<string, number>();
  let read = 0;
  for (const line of linesOf(before)) {
    known.set(line, (known.get(line) ?? 0) + 1);
    read += line.length + 1;
    if (read < sliceCharacters) continue;
    read = 0;
    yield;
  }
  const added: string[] = [];
  for (const line of linesOf(after)) {
    const left = known.get(line) ?? 0;
    if (left === 0) added.push(line);
    else known.set(line, left - 1);
    read += line.length + 1;
    if (read < sliceCharacters) continue;
    read = 0;
    yield;
  }
  return added.join("\n");
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (;;) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}
