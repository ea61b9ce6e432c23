/** The probability that a standard normal variable is at most `z`. The relative error is below 1e-10. */
export function normalProbability(z: number): number {
  // A continued fraction in the tail and a series near the middle, because each is slow where the other is fast.
  const x = Math.abs(z);
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const tail = x > 3 ? density / fraction(x) : 0.5 - density * series(x);
  return z > 0 ? 1 - tail : tail;
}

function fraction(x: number): number {
  let value = x;
  for (let step = 120; step >= 1; step -= 1) value = x + step / value;
  return value;
}

function series(x: number): number {
  let term = x;
  let sum = x;
  for (let step = 3; Math.abs(term) > 1e-17 * sum; step += 2) {
    term *= (x * x) / step;
    sum += term;
  }
  return sum;
}

/** The value that a standard normal variable does not exceed with a probability. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1))
    return probability === 0 ? Number.NEGATIVE_INFINITY : probability === 1 ? Infinity : Number.NaN;
  // The upper half mirrors the lower one, where small probabilities keep their digits.
  if (probability > 0.5) return -normalQuantile(1 - probability);
  let low = -40;
  let high = 0;
  while (high - low > 1e-13 * Math.max(1, -low)) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (normalProbability(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The quantile of Student's distribution as an expansion around the normal one. For 95 % and 4 degrees of freedom or more
 * the error is below 0.001.
 */
export function studentQuantile(probability: number, degrees: number): number {
  const z = normalQuantile(probability);
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduce((sum, term, index) => sum + term / degrees ** (index + 1), z);
}
