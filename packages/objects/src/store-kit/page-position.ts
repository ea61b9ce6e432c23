/** A position in an ordered list, as a caller gives it back. Throws `RangeError` for any other text. */
export function readPlace(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw notAPosition(text);
  return Number(text);
}

/** The position of a reference: the place of its holder in order of first commit, and its path in the holder. */
export type ReferrerPosition = readonly [place: number, path: string];

export function writeReferrerPosition(place: number, path: string): string {
  return JSON.stringify([place, path]);
}

/** Reads what `writeReferrerPosition` wrote. Throws `RangeError` for other JSON and `SyntaxError` for no JSON. */
export function readReferrerPosition(text: string): ReferrerPosition {
  const parsed: unknown = JSON.parse(text);
  if (Array.isArray(parsed) && typeof parsed[0] === "number" && typeof parsed[1] === "string") {
    return [parsed[0], parsed[1]];
  }
  throw notAPosition(text);
}

function notAPosition(text: string): RangeError {
  return new RangeError(`${JSON.stringify(text)} is no position of this store`);
}
