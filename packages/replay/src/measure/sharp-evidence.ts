/** A place of an 8-gram in the message that quotes it. */
export interface SharpPlace {
  /** The text of the message, by number. */
  readonly text: number;
  /** The index of the 8-gram's first word in the text. */
  readonly word: number;
  /** Whether all its words are in text that must match exactly, such as the text that an edit replaces. */
  readonly isExact: boolean;
}

/** The number of consecutive 8-grams that are sharp evidence: 12 words. */
const sharpRun = 5;
/** The smallest number of pieces between white space in the text of an 8-gram that can be sharp evidence. */
const fewestPieces = 4;

/** Whether the text of an 8-gram has enough pieces; paths and import lines have few. */
export function hasPieces(text: string): boolean {
  return text.trim().split(/\s+/u).length >= fewestPieces;
}

/** Whether 8-grams of one message are sharp evidence: 5 of them are consecutive, or one is in exact text. */
export function isSharp(grams: readonly { readonly places: readonly SharpPlace[] }[]): boolean {
  const places = grams.flatMap((gram) => gram.places);
  if (places.some(({ isExact }) => isExact)) return true;
  const sorted = places.toSorted((a, b) => a.text - b.text || a.word - b.word);
  return sorted.some(({ text, word }, index) => {
    const last = sorted[index + sharpRun - 1];
    return last?.text === text && last.word === word + sharpRun - 1;
  });
}
