import type { Clock, FileSearch, FileSighting, Sighting } from "@self-context-manager/core";

import { type Dirent, lstat } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { milliseconds } from "./file-times.ts";
import { lookAt } from "./look-at.ts";
import { isTemporaryName } from "./temporary-name.ts";

/** Folders that tools fill and people do not edit in. */
const passedOver: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".venv",
  "__pycache__",
]);

/** The file system's clock may be behind, and ticks coarsely. */
const slack = 2_000;

export interface FolderSearch {
  readonly roots: readonly string[];
  readonly clock: Clock;
  /** At most this many entries are looked at. */
  readonly limit: number;
}

/** Whether a file is one that a search is for. */
export function fits(sighting: Sighting, wanted: FileSearch): sighting is FileSighting {
  return (
    sighting.state === "file" &&
    (wanted.nodes.includes(sighting.node) || wanted.sizes.includes(sighting.size))
  );
}

/**
 * Looks below the roots, breadth first. Of folders that did not change since `wanted.since`, nor lie in one that moved
 * since, only the folders in them are looked at.
 */
export async function searchFolders(
  { roots, clock, limit }: FolderSearch,
  wanted: FileSearch,
): Promise<readonly FileSighting[]> {
  const found: FileSighting[] = [];
  let left = limit;
  let level = roots.map((path) => ({ path, isFresh: wanted.since === undefined }));
  while (level.length > 0 && left > 0) {
    const next: typeof level = [];
    for (const { path, isFresh } of level) {
      const entries = await entriesOf(path);
      left -= entries.length;
      if (left <= 0) break;
      const isChanged = isFresh || (await changedSince(path, (wanted.since ?? 0) - slack));
      if (isChanged) {
        const names = entries.filter((entry) => entry.isFile() && !isTemporaryName(entry.name));
        const sightings = await lookAt(
          names.map(({ name }) => join(path, name)),
          clock,
        );
        found.push(...sightings.filter((sighting) => fits(sighting, wanted)));
      }
      for (const entry of entries) {
        if (!entry.isDirectory() || passedOver.has(entry.name)) continue;
        // Whatever lies in a folder that moved has moved, though it did not change itself.
        const isMoved =
          isFresh ||
          (isChanged && (await changedSince(join(path, entry.name), (wanted.since ?? 0) - slack)));
        next.push({ path: join(path, entry.name), isFresh: isMoved });
      }
    }
    level = next;
  }
  return found;
}

async function entriesOf(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch {
    // A folder that is gone or closed holds nothing that could be found.
    return [];
  }
}

function changedSince(path: string, since: number): Promise<boolean> {
  return new Promise((resolve) => {
    lstat(path, { bigint: true }, (error, stats) => {
      resolve(error === null && milliseconds(stats.ctimeNs) >= since);
    });
  });
}
