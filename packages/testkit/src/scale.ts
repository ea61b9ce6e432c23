/**
 * How much a run tries: `SCM_LONG=1` for the long one, which takes a fresh seed; `SCM_SEED` to repeat one that failed.
 */
export interface TestScale {
  readonly isLong: boolean;
  readonly seed: number;
}

const isLong = process.env["SCM_LONG"] === "1";

/** What short runs try is the same each time, so that a red one is red for everybody. */
const usualSeed = 20_261_121;

export const testScale: TestScale = { isLong, seed: seedFrom(process.env["SCM_SEED"]) };

function seedFrom(text: string | undefined): number {
  const seed = Number(text);
  if (text !== undefined && Number.isSafeInteger(seed)) return seed;
  return isLong ? Math.floor(Math.random() * 0x7fff_ffff) : usualSeed;
}

/** Numbers from 0 to below 1 that a seed determines (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
