/**
 * A generator of numbers from 0 to below 1 that gives the same numbers for the same seed on every machine (sfc32). It is
 * for simulations, not for secrets.
 */
export function randomNumbers(seed: number): () => number {
  let a = 0x9e37_79b9;
  let b = seed >>> 0;
  let c = Math.floor(seed / 2 ** 32) >>> 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first numbers of similar seeds are similar.
  for (let round = 0; round < 20; round += 1) next();
  return next;
}
