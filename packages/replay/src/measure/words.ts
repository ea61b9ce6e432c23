/** The words of a text and their positions. */
export interface Words {
  /** A number for each word; equal words have equal numbers in one `WordNumbers`. */
  readonly ids: readonly number[];
  /** The start and the end of each word in the text, in UTF-16 units. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Maps each word to its number. */
export type WordNumbers = Map<string, number>;

/** The number of words of a quotation. */
export const gramLength = 8;

const writtenEscape = /\\[nrt]/gu;
const lineNumber = /^\s*\d+[→:|\t-]/gmu;
const word = /[\p{L}\p{N}_]+/gu;

/**
 * Finds the runs of letters, digits and `_` in a text. Written-out escapes (`\n` in a JSON string) and line numbers
 * that tools put before lines (`12→`, `12:`, `12|`, `12-`, or a number and a tab) are replaced by blanks first.
 */
export function wordsOf(text: string, numbers: WordNumbers): Words {
  const plain = text.replace(writtenEscape, "  ").replace(lineNumber, blanks);
  const ids: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const match of plain.matchAll(word)) {
    const [found] = match;
    let id = numbers.get(found);
    if (id === undefined) {
      id = numbers.size + 1;
      numbers.set(found, id);
    }
    ids.push(id);
    starts.push(match.index);
    ends.push(match.index + found.length);
  }
  return { ids, starts, ends };
}

/** Calls `visit` with a 53-bit key of each run of eight words and the index of its first word. */
export function eachGram({ ids }: Words, visit: (key: number, first: number) => void): void {
  for (let first = 0; first + gramLength <= ids.length; first += 1) {
    let high = 17;
    let low = 91;
    for (let at = first; at < first + gramLength; at += 1) {
      const id = ids[at] ?? 0;
      high = Math.imul(high ^ id, 0x9e_37_79_b1);
      high ^= high >>> 15;
      low = Math.imul(low + id, 0x85_eb_ca_6b);
      low ^= low >>> 13;
    }
    visit((high >>> 0) * 0x20_00_00 + ((low >>> 0) & 0x1f_ff_ff), first);
  }
}

function blanks(text: string): string {
  return " ".repeat(text.length);
}
