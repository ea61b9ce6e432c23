/** A line of a file, counted from 1. */
export interface FileLine {
  readonly line: number;
  readonly text: string;
}

/**
 * The lines of a byte stream that are not blank, without their ends.
 *
 * Only line feeds end a line, because JSON may contain U+2028 unescaped. Invalid UTF-8 becomes U+FFFD, so that a
 * damaged line does not affect other lines.
 */
export async function* fileLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder("utf-8");
  let line = 1;
  let parts: string[] = [];
  for await (const chunk of bytes) {
    const [begun = "", ...following] = decoder.decode(chunk, { stream: true }).split("\n");
    parts.push(begun);
    for (const next of following) {
      const text = parts.join("");
      if (text.trim() !== "") yield { line, text };
      line += 1;
      parts = [next];
    }
  }
  const text = parts.join("") + decoder.decode();
  if (text.trim() !== "") yield { line, text };
}
