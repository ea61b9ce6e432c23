/**
 * Returns a text for comparison with another one: `é` can be one character or a letter with an accent, and both are the
 * same letter to a reader. Keyboards type the first form, and macOS writes file names in the second.
 */
export function composed(text: string): string {
  return text.normalize("NFC");
}

/** Returns the forms in which a name can be stored, the given one first. */
export function compositions(name: string): readonly string[] {
  return [...new Set([name, composed(name), name.normalize("NFD")])];
}
