/**
 * How much a run tests. `SCM_LONG=1` selects the long run, which uses a new seed. `SCM_SEED` repeats a run that
 * failed.
 */
export interface TestScale {
  readonly isLong: boolean;
  readonly seed: number;
}

const isLong = process.env["SCM_LONG"] === "1";

/** The seed of short runs. It is constant, so that a run that fails for one developer fails for all. */
const usualSeed = 20_261_121;

export const testScale: TestScale = { isLong, seed: seedFrom(process.env["SCM_SEED"]) };

/**
 * Whether the long-only tests of a package run. They are other forms of what a short run tests: more releases of a host,
 * more themes of a page, deaths and backups. They run in each long run. `npm test` names in `SCM_EVERY_FORM` the packages
 * that have changed, and theirs run too.
 */
export function runsEveryForm(name: string): boolean {
  return isLong || (process.env["SCM_EVERY_FORM"] ?? "").split(",").includes(name);
}

function seedFrom(text: string | undefined): number {
  const seed = Number(text);
  if (text !== undefined && Number.isSafeInteger(seed)) return seed;
  return isLong ? Math.floor(Math.random() * 0x7fff_ffff) : usualSeed;
}

/** Returns a generator of numbers from 0 to below 1 that a seed determines (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
