/**
 * The two-sided p of McNemar's exact test: how probable a split of the pairs with different outcomes is that is at least
 * as uneven, if both outcomes are equally probable. Without such pairs it is 1.
 */
export function exactMcnemar(onlyFirst: number, onlySecond: number): number {
  const pairs = onlyFirst + onlySecond;
  const fewer = Math.min(onlyFirst, onlySecond);
  if (onlyFirst === onlySecond) return 1;
  // As logarithms, because 2^-n is 0 for more than a thousand pairs.
  let logTerm = -pairs * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let count = 1; count <= fewer; count += 1) {
    logTerm += Math.log((pairs - count + 1) / count);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}
