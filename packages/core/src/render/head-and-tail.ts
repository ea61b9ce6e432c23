import { rawEstimator } from "../cost/calibrated-estimator.ts";

/** How many characters of a text's beginning and end are shown. */
export interface HeadAndTail {
  readonly head: number;
  readonly tail: number;
}

/** The ends of a text that have at most so many tokens, at line breaks where that costs little. */
export function endsOfTokens(text: string, headTokens: number, tailTokens: number): HeadAndTail {
  const head = charactersOf(text, headTokens);
  const tail = tailTokens === 0 ? 0 : charactersOf(text.slice(-tailTokens * 8), tailTokens, true);
  return endsAtLines(text, { head, tail });
}

/** A part of a line is left out where it is less than this share of its end. */
const lineShare = 0.3;

/** The same ends, shortened to the nearest line break where that costs little. */
export function endsAtLines(text: string, { head, tail }: HeadAndTail): HeadAndTail {
  const lineEnd = head === 0 ? 0 : text.lastIndexOf("\n", head - 1) + 1;
  const tailStart = text.length - tail;
  const lineStart = text.indexOf("\n", tailStart) + 1;
  const isNear = lineStart > 0 && lineStart - tailStart < tail * lineShare;
  return {
    head: lineEnd > head * (1 - lineShare) ? lineEnd : head,
    tail: text.length - (isNear ? lineStart : tailStart),
  };
}

/** A text cut to its ends, with a note of how much lies between and how it is read. */
export function textOfEnds(text: string, ends: HeadAndTail, how: string): string {
  const head = text.slice(0, ends.head).toWellFormed();
  const tail = ends.tail === 0 ? "" : text.slice(-ends.tail).toWellFormed();
  const omitted = text.length - head.length - tail.length;
  const gap = head === "" || head.endsWith("\n") ? "" : "\n";
  return `${head}${gap}[${omitted} characters not shown; ${how}]\n${tail}`;
}

/** How many characters of a text's beginning, or end, have at most so many tokens. */
function charactersOf(text: string, tokens: number, fromEnd = false): number {
  let low = 0;
  let high = Math.min(text.length, tokens * 8);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const piece = fromEnd ? text.slice(-middle) : text.slice(0, middle);
    if (rawEstimator.text(piece) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}
