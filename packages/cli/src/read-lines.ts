import { ImportError } from "@self-context-manager/objects";

/**
 * Splits bytes into lines, without their ends. Only line feeds end a line: node:readline also splits at U+2028, which
 * JSON may contain unescaped.
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  let parts: string[] = [];
  for await (const chunk of bytes) {
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
