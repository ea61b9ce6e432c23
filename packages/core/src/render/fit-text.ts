import type { TokenEstimator } from "../cost/token-estimator.ts";

/** What of a text is shown when not all of it fits: a head and a tail, and how much lies between. */
export interface FittedText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** The share of what is shown that is taken from the beginning. */
const headShare = 0.75;

/**
 * Shows as much of a text as a number of tokens allows, with a note of what is left out; undefined where not even the
 * note fits.
 */
export function fitText(
  text: string,
  tokens: number,
  estimator: TokenEstimator,
  how: string,
): FittedText | undefined {
  if (estimator.text(text) <= tokens) return { text, isWhole: true };
  let characters = Math.floor(
    text.length * Math.min(1, tokens / Math.max(1, estimator.text(text))),
  );
  while (characters >= 0) {
    const shown = cut(text, characters, how);
    if (estimator.text(shown) <= tokens) return { text: shown, isWhole: false };
    if (characters === 0) return undefined;
    characters = Math.floor(characters * 0.8) - (characters < 20 ? 1 : 0);
    if (characters < 0) characters = 0;
  }
  return undefined;
}

function cut(text: string, characters: number, how: string): string {
  const head = untilLine(text.slice(0, Math.ceil(characters * headShare)).toWellFormed());
  const tailLength = Math.floor(characters * (1 - headShare));
  const tail = tailLength === 0 ? "" : fromLine(text.slice(-tailLength).toWellFormed());
  const left = text.length - head.length - tail.length;
  return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}[${left} characters not shown; ${how}]\n${tail}`;
}

/** A part of a line is left out where that costs little. */
const lineShare = 0.3;

function untilLine(head: string): string {
  const end = head.lastIndexOf("\n") + 1;
  return end > head.length * (1 - lineShare) ? head.slice(0, end) : head;
}

function fromLine(tail: string): string {
  const start = tail.indexOf("\n") + 1;
  return start < tail.length * lineShare ? tail.slice(start) : tail;
}
