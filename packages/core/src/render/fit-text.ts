import type { TokenEstimator } from "../cost/token-estimator.ts";
import { endsAtLines, textOfEnds } from "./head-and-tail.ts";

/**
 * A text that was fitted into a number of tokens. If it did not fit, it has a head, a note of how much is missing, and
 * a tail.
 */
export interface FittedText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Share of the shown characters that the head gets. */
const headShare = 0.75;

/**
 * Returns as much of a text as a number of tokens allows, with a mark for the missing part. Returns undefined if not
 * even the mark fits.
 */
export function fitText(
  text: string,
  tokens: number,
  estimator: TokenEstimator,
  markOf: (omitted: number) => string,
): FittedText | undefined {
  if (estimator.text(text) <= tokens) return { text, isWhole: true };
  let characters = Math.floor(
    text.length * Math.min(1, tokens / Math.max(1, estimator.text(text))),
  );
  while (characters >= 0) {
    const shown = cut(text, characters, markOf);
    if (estimator.text(shown) <= tokens) return { text: shown, isWhole: false };
    if (characters === 0) return undefined;
    characters = Math.floor(characters * 0.8) - (characters < 20 ? 1 : 0);
    if (characters < 0) characters = 0;
  }
  return undefined;
}

function cut(text: string, characters: number, markOf: (omitted: number) => string): string {
  const head = Math.ceil(characters * headShare);
  const tail = Math.floor(characters * (1 - headShare));
  return textOfEnds(text, endsAtLines(text, { head, tail }), markOf);
}
