import {
  defined,
  FileError,
  type FileContent,
  type FileFacts,
  type FileSource,
  type FolderEntry,
} from "@self-context-manager/objects";

import { constants as bufferConstants } from "node:buffer";
import { hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";

import { absenceCodes, fileError } from "./file-errors.ts";
import { identityOf, milliseconds } from "./file-times.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { resolvePath } from "./resolve-path.ts";
import { decodeText } from "./decode-text.ts";

export interface DiskFilesOptions {
  /** Larger files are refused. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/** Far above any source file, and small enough that memory can hold several at once. */
const usualMaxBytes = 64 * 1024 * 1024;

/** Bytes of a file that is not text up to which they are hashed: the hash of so many takes some hundredths of a second. */
const mostHashed = 16 * 1024 * 1024;

/** Reads the files of this machine. It never blocks on a path that is not a regular file, and never writes. */
export function diskFiles(options: DiskFilesOptions = {}): FileSource {
  const maxBytes = checkedMaxBytes(options.maxBytes ?? usualMaxBytes);
  return {
    resolve: resolvePath,
    async stat(path) {
      try {
        return await factsOf(path);
      } catch (error) {
        if (absenceCodes.has(codeOf(error))) return undefined;
        throw await fileError(path, error);
      }
    },
    list: entriesOf,
    async read(path) {
      try {
        return await readWhole(path, maxBytes);
      } catch (error) {
        throw FileError.is(error) ? error : await fileError(path, error);
      }
    },
  };
}

async function entriesOf(folder: string): Promise<readonly FolderEntry[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.flatMap((entry): readonly FolderEntry[] => {
      if (entry.isFile()) return [{ name: entry.name, kind: "file" }];
      return entry.isDirectory() ? [{ name: entry.name, kind: "directory" }] : [];
    });
  } catch {
    // A folder that is gone or not readable contains no file that could be found.
    return [];
  }
}

async function factsOf(path: string): Promise<FileFacts> {
  const realPath = await realpath(path);
  const stats = await stat(realPath, { bigint: true });
  return {
    realPath,
    kind: kindOf(stats),
    size: Number(stats.size),
    modified: milliseconds(stats.mtimeNs),
    ...identityOf(stats),
  };
}

async function readWhole(path: string, maxBytes: number): Promise<FileContent> {
  const { realPath, kind } = await factsOf(path);
  // Checked before the file is opened: opening alone can rewind a tape or wake a device.
  if (kind === "directory") {
    throw new FileError(
      "FILE_IS_DIRECTORY",
      `${path} is a directory, not a file; list it, or name a file in it.`,
    );
  }
  if (kind === "other") {
    throw new FileError(
      "FILE_NOT_REGULAR",
      `${path} is a pipe, socket or device, not a regular file; read it with a command that can end by itself.`,
    );
  }
  const { bytes, ...state } = await readSnapshot(realPath, maxBytes, path);
  const text = decodeText(bytes);
  const bytesHash =
    text === null && bytes.byteLength <= mostHashed ? hash("sha256", bytes) : undefined;
  return { realPath, size: bytes.byteLength, ...state, text, ...defined({ bytesHash }) };
}

function kindOf(stats: BigIntStats): FileFacts["kind"] {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "directory" : "other";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function checkedMaxBytes(maxBytes: number): number {
  const most = bufferConstants.MAX_STRING_LENGTH;
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1 || maxBytes > most) {
    throw new RangeError(
      `maxBytes is ${maxBytes}; it must be a whole number from 1 to ${most}, the length of the longest possible text`,
    );
  }
  return maxBytes;
}
