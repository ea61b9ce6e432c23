import { FileError, type FileErrorCode, messageOf } from "@self-context-manager/objects";

import { lstat, readlink } from "node:fs/promises";

/** The system's codes for a path that does not exist; the last is for names that no file can have. */
export const absenceCodes: ReadonlySet<string> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ENAMETOOLONG",
  "ERR_INVALID_ARG_VALUE",
]);

const refusals: Readonly<Record<string, readonly [FileErrorCode, string]>> = {
  EACCES: [
    "FILE_UNREADABLE",
    "may not be read by this user; change its permissions or those of its folders.",
  ],
  EPERM: [
    "FILE_UNREADABLE",
    "may not be read by this user; change its permissions or those of its folders.",
  ],
  EISDIR: ["FILE_IS_DIRECTORY", "is a directory, not a file; list it, or name a file in it."],
  ELOOP: ["FILE_UNREADABLE", "is a link that leads back to itself; correct the link."],
  EMFILE: ["FILE_UNREADABLE", "cannot be opened while so many files are open; read it again."],
  ENFILE: ["FILE_UNREADABLE", "cannot be opened while so many files are open; read it again."],
  ENXIO: ["FILE_NOT_REGULAR", "is a pipe, socket or device, not a regular file."],
};

/** Converts an error of the system to a `FileError` that names the given path and what to do. */
export async function fileError(path: string, cause: unknown): Promise<FileError> {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const shown = visible(path);
  if (absenceCodes.has(code)) {
    const target = await linkTarget(path);
    const why =
      target === undefined
        ? "there is no such file; check the path, or list the folder."
        : `it is a link to ${visible(target)}, which is not there; correct the link.`;
    return new FileError("FILE_MISSING", `${shown}: ${why}`, { cause });
  }
  const refusal = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  if (refusal !== undefined) return new FileError(refusal[0], `${shown} ${refusal[1]}`, { cause });
  return new FileError(
    "FILE_UNREADABLE",
    `${shown} could not be read (${messageOf(cause)}); try again, or read another file.`,
    { cause },
  );
}

/** A path for a message, with control characters escaped. */
export function visible(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    // If the link cannot be read, the message names only the given path.
    return undefined;
  }
}
