import { FileError, type FileIdentity } from "@self-context-manager/objects";

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { visible } from "./file-errors.ts";
import { identityOf, milliseconds } from "./file-times.ts";
import { usualTiming } from "./settling.ts";

export interface Snapshot extends FileIdentity {
  readonly bytes: Uint8Array;
  /** The time of the last change before the bytes were read, so that a later change is always newer. */
  readonly modified: number;
}

/** How often a changing file is read; then the last result is returned, because a log may grow without end. */
const attempts = 4;

/** Milliseconds between two looks at an emptied file; the gap within a save is usually below one millisecond. */
const pause = 10;

/** A pipe may have replaced the file since it was checked; without `O_NONBLOCK` opening it would block for ever. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

export type OpenFile = (
  path: string,
  flags: number,
) => Promise<Pick<FileHandle, "stat" | "read" | "close">>;

/**
 * Reads a whole regular file. It reads again if the file changed during the reading, or if it became empty a moment
 * ago, because its writer is probably between truncating and writing. `name` is the path for messages.
 */
export async function readSnapshot(
  realPath: string,
  maxBytes: number,
  name: string,
  openFile: OpenFile = open,
): Promise<Snapshot> {
  const handle = await openFile(realPath, flags);
  try {
    let waited = 0;
    for (let attempt = 1; ; attempt += 1) {
      const before = await handle.stat({ bigint: true });
      if (!before.isFile())
        throw new FileError("FILE_NOT_REGULAR", `${visible(name)} is no longer a regular file.`);
      if (before.size > maxBytes) throw tooLarge(name, maxBytes);
      const bytes = await readBytes(handle, Number(before.size), maxBytes, name);
      const after = await handle.stat({ bigint: true });
      const isStill = after.mtimeNs === before.mtimeNs && after.size === before.size;
      const modified = milliseconds(before.mtimeNs);
      // The file's times may be from another machine's clock, so the total wait is limited too.
      const isEmptied = bytes.length === 0 && Date.now() - modified < usualTiming.emptied;
      if (isEmptied && waited < usualTiming.emptied) {
        await sleep(pause);
        waited += pause;
        attempt = 0;
      } else if (isStill || attempt === attempts) return { bytes, modified, ...identityOf(before) };
    }
  } finally {
    await handle.close();
  }
}

/** Reads to the end, whatever size the file reports: files in `/proc` report 0. */
async function readBytes(
  handle: Pick<FileHandle, "read">,
  size: number,
  maxBytes: number,
  name: string,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(Math.max(size, 4096) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(name, maxBytes);
    if (length === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
  }
}

function tooLarge(name: string, maxBytes: number): FileError {
  return new FileError(
    "FILE_TOO_LARGE",
    `${visible(name)} has more than ${maxBytes} bytes, the most that is read; look at parts of it with a command such as head or grep.`,
  );
}
