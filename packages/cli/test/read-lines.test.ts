import { expect, test } from "vitest";

import { readLines } from "../src/read-lines.ts";

async function linesOf(chunks: readonly (readonly number[])[]): Promise<readonly string[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Uint8Array.from(chunk);
  }
  const lines: string[] = [];
  for await (const line of readLines(bytes())) lines.push(line);
  return lines;
}

test("lines are complete, wherever the bytes are divided", async () => {
  const bytes = [...Buffer.from("one\n\u2028é\n\nlast")];

  const cut = await Promise.all(
    [1, 2, 3, 5, 100].map(
      async (size) =>
        await linesOf(
          Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.slice(index * size, (index + 1) * size),
          ),
        ),
    ),
  );

  for (const lines of cut) expect(lines).toEqual(["one", "\u2028é", "", "last"]);
});
