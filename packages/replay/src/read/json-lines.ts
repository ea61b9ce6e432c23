/** A line of a file, counted from 1. */
export interface FileLine {
  readonly line: number;
  readonly text: string;
}

/**
 * The lines of a stream of bytes that are not blank, without their ends.
 *
 * Only line feeds end a line: JSON may hold U+2028 as it is. What is no UTF-8 becomes U+FFFD, so that one bad line
 * costs no other.
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
