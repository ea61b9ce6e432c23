/** A shorter text is a part of too many others to be forgotten. */
export const shortestForgotten = 4;

/** Returns the places of a text in another one, in order and apart. Without a text to look for, there are none. */
export function* literalPlaces(
  text: string,
  wanted: string,
): Iterable<{ readonly start: number; readonly end: number }> {
  if (wanted === "") return;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    yield { start: at, end: at + wanted.length };
}
