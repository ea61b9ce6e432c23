import { rawEstimator } from "../cost/calibrated-estimator.ts";

/** Numbers of characters that are shown of a text's beginning and end. */
export interface HeadAndTail {
  readonly head: number;
  readonly tail: number;
}

/** Returns the ends of a text for a number of tokens each. They end at line breaks if that costs little. */
export function endsOfTokens(text: string, headTokens: number, tailTokens: number): HeadAndTail {
  const head = charactersOf(text, headTokens);
  const tail = tailTokens === 0 ? 0 : charactersOf(text.slice(-tailTokens * 8), tailTokens, true);
  return endsAtLines(text, { head, tail });
}

/** Share of a head or tail below which a part of a line is left out. */
const lineShare = 0.3;

/** Returns the same ends, shortened to the nearest line break if that costs little, and never within a character. */
export function endsAtLines(text: string, { head, tail }: HeadAndTail): HeadAndTail {
  const lineEnd = head === 0 ? 0 : text.lastIndexOf("\n", head - 1) + 1;
  const tailStart = text.length - tail;
  const lineStart = text.indexOf("\n", tailStart) + 1;
  const isNear = lineStart > 0 && lineStart - tailStart < tail * lineShare;
  const [end, start] = [
    lineEnd > head * (1 - lineShare) ? lineEnd : head,
    isNear ? lineStart : tailStart,
  ];
  return {
    head: isWithinPair(text, end) ? end - 1 : end,
    tail: text.length - (isWithinPair(text, start) ? start + 1 : start),
  };
}

/** Whether an index is between the two halves of a character outside the basic plane. */
function isWithinPair(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

/** Returns a text that is cut to its ends, with a mark between them for a number of missing characters. */
export function textOfEnds(
  text: string,
  ends: HeadAndTail,
  markOf: (omitted: number) => string,
): string {
  const head = text.slice(0, ends.head).toWellFormed();
  const tail = ends.tail === 0 ? "" : text.slice(-ends.tail).toWellFormed();
  const omitted = text.length - head.length - tail.length;
  const gap = head === "" || head.endsWith("\n") ? "" : "\n";
  return `${head}${gap}${markOf(omitted)}\n${tail}`;
}

/** Returns how many characters at the beginning, or at the end, of a text have at most a number of tokens. */
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
