/**
 * Returns the start of the first match of each line, at most `limit`. A match of several lines counts for its first line.
 * A worker runs this function from its text, so it must not use anything outside itself.
 */
export function* placesIn(text: string, expression: RegExp, limit: number): Generator<number> {
  let from = 0;
  for (let found = 0; found < limit; found += 1) {
    expression.lastIndex = from;
    const match = expression.exec(text);
    if (match === null) return;
    yield match.index;
    const end = text.indexOf("\n", match.index);
    if (end < 0) return;
    from = Math.max(end + 1, expression.lastIndex);
  }
}
