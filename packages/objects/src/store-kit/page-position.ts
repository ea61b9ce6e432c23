/** A position in an ordered list, as a caller gives it back. Throws `RangeError` for any other text. */
export function readPlace(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw notAPosition(text);
  return Number(text);
}

/** Writes a position in the order of versions. It differs from every position from before a rewrite. */
export function changesPosition(place: number, generation: number): string {
  return generation === 0 ? String(place) : `${place}.${generation}`;
}

/**
 * Reads what `changesPosition` wrote; no position is the beginning. A position from before the last rewrite is the
 * beginning too, and `isRestarted` says so. Throws `RangeError` for any other text.
 */
export function readChangesPosition(
  text: string | undefined,
  generation: number,
): { readonly place: number; readonly isRestarted: boolean } {
  if (text === undefined) return { place: 0, isRestarted: false };
  const [place = "", former = "0", ...rest] = text.split(".");
  if (rest.length > 0) throw notAPosition(text);
  if (readPlace(former) === generation) return { place: readPlace(place), isRestarted: false };
  // The beginning is the same place in every generation.
  return { place: 0, isRestarted: readPlace(place) > 0 };
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
