import { FileError } from "@self-context-manager/objects";

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { visible } from "./file-errors.ts";
import { milliseconds } from "./file-times.ts";
import { usualTiming } from "./settling.ts";

export interface Snapshot {
  readonly bytes: Uint8Array;
  /** As it was before the bytes were read, so that a later change is always newer. */
  readonly modified: number;
}

/** How often a file that changes while it is read is read again; then it is taken as it came, like a growing log. */
const attempts = 4;

/** Between looks at an emptied file, in milliseconds; the gap in a save is most often below one. */
const pause = 10;

/** A pipe that took the file's place since it was looked at would otherwise block the open for ever. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

export type OpenFile = (
  path: string,
  flags: number,
) => Promise<Pick<FileHandle, "stat" | "read" | "close">>;

/**
 * Reads a regular file whole, again where it changed meanwhile, and where it is empty since a moment ago: most often its
 * writer is between truncating and writing. `name` is the path for messages.
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
        throw new FileError("FILE_NOT_REGULAR", `${visible(name)} is no regular file any more.`);
      if (before.size > maxBytes) throw tooLarge(name, maxBytes);
      const bytes = await readBytes(handle, Number(before.size), maxBytes, name);
      const after = await handle.stat({ bigint: true });
      const isStill = after.mtimeNs === before.mtimeNs && after.size === before.size;
      const modified = milliseconds(before.mtimeNs);
      // The file's clock may not be ours, so it is never waited for longer than this.
      const isEmptied = bytes.length === 0 && Date.now() - modified < usualTiming.emptied;
      if (isEmptied && waited < usualTiming.emptied) {
        await sleep(pause);
        waited += pause;
        attempt = 0;
      } else if (isStill || attempt === attempts) return { bytes, modified };
    }
  } finally {
    await handle.close();
  }
}

/** Reads to the end, whatever size the file claims: those of `/proc` say 0. */
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
