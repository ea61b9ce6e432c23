import {
  type Clock,
  type FileSearch,
  type FileSighting,
  passedOverFolders,
  type Sighting,
} from "@self-context-manager/objects";

import { type Dirent, lstat } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { milliseconds } from "./file-times.ts";
import { lookAt } from "./look-at.ts";
import { isTemporaryName } from "./temporary-name.ts";

/** In milliseconds: the file system's clock may be late, and has coarse ticks. */
const slack = 2_000;

export interface FolderSearch {
  readonly roots: readonly string[];
  readonly clock: Clock;
  /** The most entries that are looked at. */
  readonly limit: number;
}

/** Recognises the files of a search, and reports when all are found. */
export interface Wanted {
  fits(sighting: Sighting): sighting is FileSighting;
  /** Whether each file of the search was found by its node. */
  isFound(): boolean;
}

export function wantedFiles({ files }: FileSearch): Wanted {
  const nodes = new Set(files.flatMap(({ node }) => node ?? []));
  const sizes = new Set(files.flatMap(({ size }) => size ?? []));
  const found = new Set<string>();
  return {
    fits(sighting): sighting is FileSighting {
      if (sighting.state !== "file") return false;
      if (nodes.has(sighting.node)) found.add(sighting.node);
      return nodes.has(sighting.node) || sizes.has(sighting.size);
    },
    isFound: () => files.every(({ node }) => node !== undefined && found.has(node)),
  };
}

interface Folder {
  readonly path: string;
  /** Whether everything in the folder may be new there, because the folder itself moved. */
  readonly isFresh: boolean;
}

/** Enough requests to keep the file system's threads busy. */
const atOnce = 8;

/**
 * Searches below the roots, breadth first. A folder that did not change since `since`, and that is not in a folder that
 * moved since, is searched only for subfolders.
 */
export async function searchFolders(
  { roots, clock, limit }: FolderSearch,
  wanted: Wanted,
  since: number | undefined,
): Promise<readonly FileSighting[]> {
  const found: FileSighting[] = [];
  const from = since === undefined ? undefined : since - slack;
  const budget = { remaining: limit };
  let level: readonly Folder[] = roots.map((path) => ({ path, isFresh: from === undefined }));
  while (level.length > 0 && budget.remaining > 0 && !wanted.isFound()) {
    const next: Folder[] = [];
    const queue = level.values();
    const worker = async (): Promise<void> => {
      for (const folder of queue) if (budget.remaining > 0) next.push(...(await searchOne(folder)));
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    level = next;
  }
  return found;

  async function searchOne({ path, isFresh }: Folder): Promise<readonly Folder[]> {
    const entries = await entriesOf(path);
    budget.remaining -= entries.length;
    const folders = entries.filter(
      (entry) => entry.isDirectory() && !passedOverFolders.has(entry.name),
    );
    const isChanged = isFresh || from === undefined || (await changedSince(path, from));
    if (!isChanged) return folders.map(({ name }) => ({ path: join(path, name), isFresh: false }));
    const names = entries.filter((entry) => entry.isFile() && !isTemporaryName(entry.name));
    const sightings = await lookAt(
      names.map(({ name }) => join(path, name)),
      clock,
    );
    found.push(...sightings.filter((sighting) => wanted.fits(sighting)));
    return await Promise.all(
      folders.map(async ({ name }) => {
        const below = join(path, name);
        return { path: below, isFresh: isFresh || (await changedSince(below, from ?? 0)) };
      }),
    );
  }
}

async function entriesOf(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch {
    // A folder that is deleted or not readable contains no file that could be found.
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
