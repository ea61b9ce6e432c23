/**
 * The most quotes and lists that begin in one line. The time to parse a line grows with the square of their number: a line
 * with 125,000 list marks takes half a minute, and nobody writes more than a few.
 */
const mostNested = 16;

const mark = String.raw`[ \t\r]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\r]))`;
const manyMarks = new RegExp(`(?:${mark}){${mostNested}}`, "yu");
const thematicBreak = /^[ \t\r]*(?:[-*_][ \t\r]*)+$/u;

/**
 * Returns a text in which no line begins with more than 16 marks of quotes and lists. What follows them is replaced by as
 * many letters, so all places stay, and no link is found there. A thematic break such as `- - -` is no list.
 */
export function withoutDeepBlocks(text: string): string {
  let made = "";
  let done = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    manyMarks.lastIndex = start;
    if (manyMarks.test(text) && !thematicBreak.test(text.slice(start, end))) {
      const from = Math.min(manyMarks.lastIndex + 1, end);
      made += `${text.slice(done, from)}${"x".repeat(end - from)}`;
      done = end;
    }
    start = end + 1;
  }
  return done === 0 ? text : made + text.slice(done);
}
