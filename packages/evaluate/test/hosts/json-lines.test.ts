import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";

import { onJsonLines } from "../../src/hosts/json-lines.ts";

async function linesOf(pieces: readonly string[]): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const stream = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  onJsonLines(stream, (line) => lines.push(line));
  await finished(stream);
  return lines;
}

test("a line can come in many pieces, and a piece can have many lines", async () => {
  const lines = await linesOf(['{"a":', "1", '}\n{"b":2}\n{"c":3}\n{"d"', ":4}\n"]);

  expect(lines).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }]);
});

test("a line separator of Unicode inside a text ends no line", async () => {
  expect(await linesOf(['{"a":"one\u2028two"}\n'])).toEqual([{ a: "one\u2028two" }]);
});

test("lines that are no objects in JSON are left out", async () => {
  expect(await linesOf(["hello\n[1]\n7\n\n", '{"a":1}\r\n'])).toEqual([{ a: 1 }]);
});
