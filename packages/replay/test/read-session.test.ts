import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { readSession, RecordingError } from "../src/index.ts";
import { outline, sessionOf, temporaryFolder } from "./recorded-files.ts";

async function failure(file: string): Promise<unknown> {
  return await readSession(file).catch((error: unknown) => error);
}

test.each([
  ["nothing", ""],
  ["prose", "Dear diary,\nall is well.\n"],
  ["other JSON lines", '{"level":"info"}\n{"level":"warn"}\n'],
  ["another document", '{\n  "name": "x",\n  "messages": []\n}\n'],
  ["a list", "[1, 2]\n"],
  ["a thousand lines of something else", '{"a":1}\n'.repeat(1000)],
])("a file with %s is not a known kind of recording", async (_, text) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "x.jsonl");
  await writeFile(file, text);

  const error = await failure(file);

  expect(RecordingError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: "RECORDING_UNKNOWN", file });
});

test("a missing file is reported as unreadable", async () => {
  await using folder = await temporaryFolder();

  const missing = await failure(join(folder.path, "none.jsonl"));
  const asFile = await failure(folder.path);

  expect(missing).toMatchObject({ code: "RECORDING_UNREADABLE" });
  expect(asFile).toMatchObject({ code: "RECORDING_UNREADABLE" });
});

test("the content determines the format, whatever the name of the file", async () => {
  const { name, source } = await sessionOf([{ role: "user", content: "go" }], "notes.txt");

  expect({ name, source }).toEqual({ name: "notes.txt", source: "neutral" });
});

test("only line feeds end a line, and invalid UTF-8 affects no other line", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "x.jsonl");
  const line = (text: string): Buffer =>
    Buffer.from(`${JSON.stringify({ role: "user", content: text })}\r\n`);
  await writeFile(
    file,
    Buffer.concat([line("a\u2028b"), Buffer.from([0xff, 0xfe, 0x0a]), line("é".repeat(100_000))]),
  );

  const { rows, damaged } = await readSession(file);

  expect(outline(rows)).toEqual(["user: a\u2028b", `user: ${"é".repeat(100_000)}`]);
  expect(damaged).toEqual([{ line: 2, reason: "not JSON; the line may be cut off" }]);
});
