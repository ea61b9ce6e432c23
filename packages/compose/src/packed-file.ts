import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

/** The first bytes of a file that gzip made. */
const gzipMark = Buffer.from([0x1f, 0x8b]);

/** Compresses a file into a new file, which is on the disk and readable only by this user. */
export async function packFile(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createGzip(), newFile(to));
}

/**
 * Unpacks a compressed file into a new file, which is on the disk and readable only by this user. A file that is not
 * compressed is copied. Rejects if the file is incomplete: gzip ends a file with a checksum of its content.
 */
export async function unpackFile(from: string, to: string): Promise<void> {
  if (await isPacked(from)) await pipeline(createReadStream(from), createGunzip(), newFile(to));
  else await pipeline(createReadStream(from), newFile(to));
}

async function isPacked(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(gzipMark.length), 0, gzipMark.length, 0);
  return buffer.equals(gzipMark);
}

function newFile(path: string): WriteStream {
  return createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
}

/** Waits until the names in the folder of a file are on the disk. */
export async function syncFolderOf(file: string): Promise<void> {
  // Windows has no such call, and there a rename is on the disk when it returns.
  if (process.platform === "win32") return;
  await using folder = await open(dirname(file));
  await folder.sync();
}
