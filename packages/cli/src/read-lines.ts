import { ImportError, importLimits, lineTooLong } from "@self-context-manager/objects";

/**
 * Splits bytes into lines, without their ends. Only line feeds end a line: node:readline also splits at U+2028, which
 * JSON may contain unescaped. Throws an `ImportError` for bytes that are not UTF-8, and as soon as a line has more bytes
 * than the limit.
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  { lineBytes }: { readonly lineBytes: number } = importLimits,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length = checkedLength(chunk, length, number, lineBytes);
    const [begun = "", ...following] = decode(decoder, chunk, number).split("\n");
    parts.push(begun);
    for (const next of following) {
      yield parts.join("");
      number += 1;
      parts = [next];
    }
  }
  const last = parts.join("") + decode(decoder, undefined, number);
  if (last !== "") yield last;
}

/** Returns the length of the line that a chunk leaves open, in bytes. */
function checkedLength(chunk: Uint8Array, begun: number, first: number, limit: number): number {
  let length = begun;
  let number = first;
  for (let start = 0; start <= chunk.length; number += 1) {
    const end = chunk.indexOf(lineFeed, start);
    length += (end === -1 ? chunk.length : end) - start;
    if (length > limit) throw lineTooLong(number, limit);
    if (end === -1) break;
    length = 0;
    start = end + 1;
  }
  return length;
}

const lineFeed = 0x0a;

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array | undefined,
  line: number,
): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new ImportError(
      "IMPORT_MALFORMED",
      `near line ${line} there are bytes that are not UTF-8; give an unchanged file that scm export wrote`,
      { cause },
    );
  }
}
