/** A line of a text. */
export interface ShownLine {
  /** Counted from 1. */
  readonly line: number;
  /** The line, cut round a place in it if it is long. */
  readonly text: string;
}

/** Characters of a line that a hit shows, and how many of them are before the match. */
const shownCharacters = 200;
const shownBefore = 60;

/** Returns the line of each place. Places must be given in their order. */
export function lineCounter(text: string): (place: number) => ShownLine {
  let line = 1;
  let start = 0;
  return (place) => {
    for (let end = text.indexOf("\n", start); end >= 0 && end < place;) {
      line += 1;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    return { line, text: shown(text, start, place) };
  };
}

function shown(text: string, start: number, place: number): string {
  const newline = text.indexOf("\n", start);
  const end = newline < 0 ? text.length : newline;
  const from = end - start <= shownCharacters ? start : Math.max(start, place - shownBefore);
  const to = Math.min(end, from + shownCharacters);
  const cut = text.slice(from, to).replace(/\r$/u, "");
  // A cut in the middle of a character leaves a half of it.
  const whole = cut.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, "");
  return `${from > start ? "…" : ""}${whole}${to < end ? "…" : ""}`;
}
