/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever sent the text sees the mistake in its own way; the meter only reads along.
    return undefined;
  }
}
