/** Quotes a word for a shell if needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
