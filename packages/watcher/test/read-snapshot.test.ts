import { open, readFile, utimes, writeFile } from "node:fs/promises";
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
      // The end of a file with text does not count as a separate read.
      if (result.bytesRead === 0 && Number(given.at(3)) > 0) return result;
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

/** Sets the file's times to a clock that is ahead, so that the duration of the test does not matter. */
async function justNow(path: string): Promise<void> {
  const time = Date.now() / 1_000 + 3_600;
  await utimes(path, time, time);
}

test("emptied-is-read-again: a file whose writer is between truncating and writing", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, "");
  await justNow(path);
  const openFile = meddling(3, async (read) => {
    if (read === 3) await writeFile(path, "after");
  });

  const { bytes } = await readSnapshot(path, 1000, path, openFile);

  expect(Buffer.from(bytes).toString()).toBe("after");
});

test("emptied-is-read-again: only for a limited time", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, "");
  await justNow(path);

  const { bytes } = await readSnapshot(path, 1000, path);

  expect(bytes).toHaveLength(0);
});

test("emptied-is-read-again: not if the file has been empty for long", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, "");
  await utimes(path, 1_600_000_000, 1_600_000_000);
  const reads: number[] = [];
  const openFile = meddling(100, async (read) => await Promise.resolve(void reads.push(read)));

  const { bytes } = await readSnapshot(path, 1000, path, openFile);

  expect(bytes).toHaveLength(0);
  expect(reads).toEqual([1]);
});

test("a file that never stops changing is read anyway", async () => {
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
