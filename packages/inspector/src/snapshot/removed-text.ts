/** Returns what is shown instead of a text: its size. */
export function removedText(text: string): string {
  const words = text.split(/\s+/u).filter((word) => word !== "").length;
  return `[removed: ${counted(text.length, "character")}, ${counted(words, "word")}]`;
}

/** The most words in a row that a kept name can have, so that none of it is a run of eight words of a content. */
const mostWords = 7;

/** Whether a name has too many words to be kept, whatever is between them. */
export function hasManyWords(name: string): boolean {
  return (name.match(/[\p{L}\p{N}]+/gu) ?? []).length > mostWords;
}

/**
 * Returns a single word of letters, digits and few signs, such as the name of a tool, a handle or a type. Any other text is
 * removed: it can be something that somebody wrote.
 */
export function keptWord(text: string): string {
  return /^[\w.:@/+-]{0,64}$/u.test(text) && !hasManyWords(text) ? text : removedText(text);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
