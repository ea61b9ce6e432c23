/** Round values of an axis from 0 to `most`, at most so many. */
export function axisTicks(most: number, count: number): readonly number[] {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** The numbers of calls that an axis shows: round ones within the range, at most so many. */
export function callTicks(first: number, last: number, count: number): readonly number[] {
  const span = last - first;
  if (span <= 0) return [first];
  const rough = Math.max(1, span / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power);
  const ticks: number[] = [];
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step) ticks.push(tick);
  return ticks;
}

/** The range of so many calls round one, within all calls; with the share of the range before it. */
export function zoomed(
  { from, to }: { readonly from: number; readonly to: number },
  all: number,
  {
    at,
    factor,
    least = 8,
  }: { readonly at: number; readonly factor: number; readonly least?: number },
): { readonly from: number; readonly to: number } {
  const length = Math.max(Math.min(least, all), Math.min(all, Math.round((to - from) * factor)));
  // A call outside the range comes into the middle; another one stays at its place.
  const share = at >= from && at < to ? (at - from) / (to - from) : 0.5;
  const start = Math.max(0, Math.min(all - length, Math.round(at - share * length)));
  return { from: start, to: start + length };
}
