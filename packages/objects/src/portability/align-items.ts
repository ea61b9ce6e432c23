/** A part of two lists between items that both have: `before` and `after` are its places in each, without the last. */
export interface UnlikeSpan {
  readonly before: readonly [start: number, end: number];
  readonly after: readonly [start: number, end: number];
}

/**
 * Returns the parts in which two lists differ, in order. As many items as possible are in no part, because they are in both
 * lists and in the same order; of items that occur several times in a list, only the first ones are compared.
 */
export function unlikeSpans(
  before: readonly string[],
  after: readonly string[],
): readonly UnlikeSpan[] {
  const spans: UnlikeSpan[] = [];
  let [start, place] = [0, 0];
  for (const [former, index] of [...sharedItems(before, after), [before.length, after.length]]) {
    if (former > start || index > place)
      spans.push({ before: [start, former], after: [place, index] });
    [start, place] = [former + 1, index + 1];
  }
  return spans;
}

type Pair = readonly [former: number, place: number];

/** Returns the places of items that both lists have in the same order: the longest rising sequence of the former places. */
function sharedItems(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const places = new Map<string, number>();
  for (const [place, item] of after.entries()) if (!places.has(item)) places.set(item, place);
  /** The last pairs of the shortest-ending sequences, by their length. */
  const ends: Chain[] = [];
  for (const [former, item] of before.entries()) {
    const place = places.get(item);
    if (place === undefined) continue;
    places.delete(item);
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair: [former, place], before: ends[low - 1] };
  }
  const pairs: Pair[] = [];
  for (let end = ends.at(-1); end !== undefined; end = end.before) pairs.unshift(end.pair);
  return pairs;
}

/** A rising sequence, from its last pair back. */
interface Chain {
  readonly pair: Pair;
  readonly before: Chain | undefined;
}
