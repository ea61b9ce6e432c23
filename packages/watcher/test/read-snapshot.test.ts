import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { type OpenFile, readSnapshot } from "../src/read-snapshot.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Opens real files, and does something after each of the first reads. */
function meddling(times: number, meddle: (read: number) => Promise<void>): OpenFile {
  return async (path, flags) => {
    const handle = await open(path, flags);
    const read = handle.read.bind(handle);
    let reads = 0;
    const meddled = async (...given: Parameters<typeof read>): Promise<unknown> => {
      const result = await read(...given);
      if (result.bytesRead === 0) return result;
      reads += 1;
      if (reads <= times) await meddle(reads);
      return result;
    };
    return Object.assign(handle, { read: meddled as typeof handle.read });
  };
}

test("a file that changes while it is read is read again", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, "before");
  const openFile = meddling(1, async () => await writeFile(path, "after, and longer"));

  const { bytes } = await readSnapshot(path, 1000, path, openFile);

  expect(Buffer.from(bytes).toString()).toBe("after, and longer");
});

test("a file that never stops changing is read all the same", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.log");
  await writeFile(path, "0\n");
  const openFile = meddling(100, async (read) => await writeFile(path, "x".repeat(read)));

  const { bytes } = await readSnapshot(path, 1000, path, openFile);

  expect((await readFile(path, "utf8")).startsWith(Buffer.from(bytes).toString())).toBe(true);
});

test("a file that outgrows the limit while it is read is refused", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.log");
  await writeFile(path, "small");
  const openFile = meddling(1, async () => await writeFile(path, "x".repeat(1001)));

  const reading = readSnapshot(path, 1000, path, openFile);

  await expect(reading).rejects.toHaveProperty("code", "FILE_TOO_LARGE");
});
