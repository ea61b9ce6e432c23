import { lstat, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { EvaluateError } from "../model/evaluate-error.ts";

/** Why a path cannot be a path of a workspace, or undefined if it can. */
export function pathFault(path: string): string | undefined {
  const parts = path.split("/");
  if (path === "") return "it is empty";
  if (path.includes("\\") || path.includes("\0")) return "it contains a backslash or a null";
  if (path.startsWith("/") || /^[A-Za-z]:/u.test(path)) return "it is absolute";
  if (parts.includes("..")) return "it leaves the workspace";
  if (parts.includes("") || parts.includes(".")) return "it has an empty part or the part `.`";
  // Git runs programs that its configuration names.
  if (parts.some((part) => part.toLowerCase() === ".git")) return "it is inside a folder `.git`";
  return undefined;
}

/** Returns the absolute path. Throws `EvaluateError` if it would leave the folder, also by a symbolic link. */
async function pathInside(folder: string, path: string): Promise<string> {
  const fault = pathFault(path);
  if (fault !== undefined) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `path ${JSON.stringify(path)} is refused: ${fault}; use a path relative to the workspace, with \`/\``,
    );
  }
  const target = join(folder, path);
  const root = await realpath(folder);
  for (let parent = dirname(target); ; parent = dirname(parent)) {
    const real = await realpath(parent).catch(() => undefined);
    if (real === undefined) continue;
    const way = relative(root, real);
    if (way !== ".." && !way.startsWith(`..${sep}`)) return target;
    throw new EvaluateError(
      "EVALUATE_TASK",
      `path ${JSON.stringify(path)} is refused: a symbolic link on it leaves the workspace`,
    );
  }
}

/** Writes a file of a workspace. A link or a folder at its place is replaced, and a link is not followed. */
export async function writeInside(folder: string, path: string, text: string): Promise<void> {
  const target = await pathInside(folder, path);
  await mkdir(dirname(target), { recursive: true });
  const stats = await lstat(target).catch(() => undefined);
  if (stats?.isFile() === false) await rm(target, { recursive: true });
  await writeFile(target, text);
}

/** Deletes a file of a workspace, if it exists. */
export async function removeInside(folder: string, path: string): Promise<void> {
  await rm(await pathInside(folder, path), { force: true, recursive: true });
}

/** Returns the text of a file of a workspace, or undefined if it is not there or is not a file. */
export async function readInside(folder: string, path: string): Promise<string | undefined> {
  const target = await pathInside(folder, path);
  const stats = await lstat(target).catch(() => undefined);
  return stats?.isFile() === true ? await readFile(target, "utf8") : undefined;
}
