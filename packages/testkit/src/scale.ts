/** How much a run tries: `SCM_LONG=1` for the long one, `SCM_SEED` to repeat one that failed. */
export interface TestScale {
  readonly isLong: boolean;
  readonly seed: number;
}

export const testScale: TestScale = {
  isLong: process.env["SCM_LONG"] === "1",
  seed: seedFrom(process.env["SCM_SEED"]),
};

function seedFrom(text: string | undefined): number {
  const seed = Number(text);
  return text !== undefined && Number.isSafeInteger(seed)
    ? seed
    : Math.floor(Math.random() * 0x7fff_ffff);
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
