import type { Prepare } from "./add-texts.ts";
import { numbersIn, type TextLengths } from "./text-lengths.ts";

/** A text that has words of a query, and how well it fits. */
export interface RankedText {
  readonly key: number;
  readonly score: number;
}

/** What is ranked. */
export interface Ranking {
  /** Words as the index has them. A text with more of them, and with rarer ones, is better. */
  readonly words: readonly string[];
  /** Those of them that each text must have. */
  readonly needed?: readonly string[];
  /** The keys of the only texts that count. Default: all. */
  readonly among?: readonly number[] | undefined;
  readonly limit: number;
}

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthShare = 0.75;

/** The weight of a word that is in more than half of the texts. */
const leastWeight = 1e-6;

/**
 * Returns the texts with words of a query, best first, and of equal ones the newest first. The measure is BM25 with each
 * word counted once in a text, and the different words of a text as its length. On recorded sessions it finds more than
 * with the number of occurrences, for which the index would be three times as large.
 */
export function rankTexts(
  prepared: Prepare,
  lengths: TextLengths,
  { words, needed = [], among, limit }: Ranking,
): readonly RankedText[] {
  const { first, keys, texts } = lengths;
  const weights = new Float64Array(keys);
  const counts = new Uint8Array(needed.length === 0 ? 0 : keys);
  const touched: number[] = [];
  for (const word of words) {
    const found = textsWith(prepared, word);
    const ratio = (texts - found.length + 0.5) / (found.length + 0.5);
    const weight = Math.max(leastWeight, Math.log(ratio));
    const isNeeded = needed.includes(word);
    for (const key of found) {
      const offset = key - first;
      const before = weights[offset] ?? 0;
      if (before === 0) touched.push(offset);
      weights[offset] = before + weight;
      if (isNeeded) counts[offset] = (counts[offset] ?? 0) + 1;
    }
  }
  for (const key of incomplete(prepared)) weights[key - first] = 0;
  const candidates = among === undefined ? touched : among.map((key) => key - first);
  const scores = new Float64Array(candidates.length);
  for (const [index, offset] of candidates.entries())
    if (needed.length === 0 || counts[offset] === needed.length)
      scores[index] = (weights[offset] ?? 0) * lengthWeight(lengths, offset);
  return best(candidates, scores, limit).map(({ key, score }) => ({ key: key + first, score }));
}

function lengthWeight(lengths: TextLengths, offset: number): number {
  const share = lengths.at(offset) / lengths.mean;
  return (saturation + 1) / (1 + saturation * (1 - lengthShare + lengthShare * share));
}

/** Returns the best of the candidates with a score above 0. */
function best(
  candidates: readonly number[],
  scores: Float64Array,
  limit: number,
): readonly RankedText[] {
  // Numbers are sorted much faster than texts, and only the texts from the last of the best scores on are compared.
  const least = scores.toSorted().at(-limit) ?? 0;
  const found: RankedText[] = [];
  for (const [index, score] of scores.entries())
    if (score > 0 && score >= least) found.push({ key: candidates[index] ?? 0, score });
  return found
    .toSorted((one, other) => other.score - one.score || other.key - one.key)
    .slice(0, limit);
}

function textsWith(prepared: Prepare, word: string): readonly number[] {
  const sql = "SELECT json_group_array(rowid) AS keys FROM ranked WHERE ranked MATCH ?";
  return numbersIn(prepared(sql).get(`"${word}"`)?.["keys"]);
}

/** Returns the texts that are being added. */
function incomplete(prepared: Prepare): readonly number[] {
  const sql = "SELECT json_group_array(key) AS keys FROM texts WHERE complete = 0";
  return numbersIn(prepared(sql).get()?.["keys"]);
}
