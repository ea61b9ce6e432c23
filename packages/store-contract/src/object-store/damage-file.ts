import { copyFile, open, rm, truncate } from "node:fs/promises";

/**
 * Damages a closed database file at one place: mostly a flipped bit, sometimes a page of zeros or a missing end. Disposal
 * restores the file.
 */
export async function damageFile(path: string, random: () => number): Promise<AsyncDisposable> {
  const sound = `${path}.sound`;
  await copyFile(path, sound);
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    const place = Math.floor(random() * size);
    const kind = random();
    if (kind < 0.1) await file.write(Buffer.alloc(1024), 0, 1024, place - (place % 1024));
    else if (kind < 0.15) await truncate(path, place);
    else {
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, place);
      byte.writeUInt8(byte.readUInt8() ^ (1 << Math.floor(random() * 8)));
      await file.write(byte, 0, 1, place);
    }
  } finally {
    await file.close();
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const side of ["-wal", "-shm"]) await rm(path + side, { force: true });
      await copyFile(sound, path);
      await rm(sound);
    },
  };
}
