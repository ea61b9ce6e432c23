import { identifiersIn, splitWords, withoutAccents } from "./split-words.ts";

/** Several words that follow each other. */
export interface Phrase {
  /** The words, without accents and with blanks between them. */
  readonly words: string;
  /** Finds the places where the parts of the words follow each other; the words can be parts of others there. */
  readonly places: RegExp;
}

const quoted = /"([^"]+)"/gu;

/** Returns the phrases of a query: the words that are between quotation marks, if they are several. */
export function queryPhrases(query: string): readonly Phrase[] {
  const phrases = [...query.matchAll(quoted)].map(([, text = ""]) =>
    phraseOf(withoutAccents(text)),
  );
  return phrases.filter(({ words }) => words.includes(" "));
}

function phraseOf(text: string): Phrase {
  const parts = [...identifiersIn(text)].flat();
  return { words: splitWords(text), places: new RegExp(parts.join(between), "giu") };
}

const between = String.raw`[^\p{L}\p{N}\p{M}]*`;

/** Characters before and behind a place that are divided into words, so that each word there is whole. */
const around = 200;

/**
 * Whether a text has all phrases. Only the surroundings of their letters are divided into words, because to divide a long
 * text takes time.
 */
export function hasPhrases(text: string, phrases: readonly Phrase[]): boolean {
  const plain = withoutAccents(text);
  return phrases.every(({ words, places }) => {
    for (const { index, 0: found } of plain.matchAll(places)) {
      const near = plain.slice(Math.max(0, index - around), index + found.length + around);
      if (` ${splitWords(near)} `.includes(` ${words} `)) return true;
    }
    return false;
  });
}
