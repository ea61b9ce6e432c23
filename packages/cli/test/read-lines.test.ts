import { expect, test } from "vitest";

import { readLines } from "../src/read-lines.ts";

async function linesOf(
  chunks: readonly (readonly number[])[],
  ...limits: readonly { readonly lineBytes: number }[]
): Promise<readonly string[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Uint8Array.from(chunk);
  }
  const lines: string[] = [];
  for await (const line of readLines(bytes(), limits[0])) lines.push(line);
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

test("a line that is too long is refused before it ends, and names its number and the limit", async () => {
  const limit = { lineBytes: 4 };
  const bytes = [...Buffer.from("four\néé\n\nfours")];
  const cut = [1, 2, 3, 100].map(
    async (size) =>
      await linesOf(
        Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.slice(index * size, (index + 1) * size),
        ),
        limit,
      ),
  );

  for (const refused of cut)
    await expect(refused).rejects.toMatchObject({
      name: "ImportError",
      message: "line 4 is longer than the limit of 4 bytes; correct the line, or export again",
    });
  expect(await linesOf([bytes.slice(0, -1)], limit)).toEqual(["four", "éé", "", "four"]);
});

test("no more of a line than the limit is read", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; ; given += 1) yield new Uint8Array(10).fill(0x20);
  }

  const first = readLines(endless(), { lineBytes: 45 }).next();

  await expect(first).rejects.toThrow("line 1 is longer than the limit of 45 bytes");
  expect(given).toBe(4);
});
