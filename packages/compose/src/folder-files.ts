import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders that hold what programs made, beside those with hidden names. */
const ignored: ReadonlySet<string> = new Set(["node_modules"]);

/**
 * Returns the regular files below a folder, as absolute paths in a fixed order. Hidden files and folders (`.git`,
 * `.obsidian`) and `node_modules` are left out, and links are not followed. Rejects if the folder cannot be listed; a
 * folder in it that cannot be listed has no files.
 */
export async function folderFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting: string[] = [];
  take(folder, await readdir(folder, { withFileTypes: true }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    take(next, await readdir(next, { withFileTypes: true }).catch(() => []));
  return found.toSorted();

  function take(parent: string, entries: readonly Dirent[]): void {
    for (const entry of entries) {
      if (entry.name.startsWith(".") || ignored.has(entry.name)) continue;
      if (entry.isDirectory()) waiting.push(join(parent, entry.name));
      else if (entry.isFile()) found.push(join(parent, entry.name));
    }
  }
}
