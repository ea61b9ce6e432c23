import type { FileSighting, Sighting } from "@self-context-manager/objects";
import {
  deletionDraft,
  type FileDraft,
  moveDraft,
  newcomerDraft,
  readDraft,
} from "./file-drafts.ts";
import type { Seen } from "./find-exchanged.ts";
import { findMoved } from "./find-moved.ts";
import { inParallel } from "./read-files.ts";
import { type SortedSightings, sortSightings } from "./sort-sightings.ts";
import { chunkSize, storeChanges } from "./store-changes.ts";
import { isMissing, type TrackedFile } from "./tracked-files.ts";
import { gone, mayRead, type TrackerParts } from "./tracker-parts.ts";

/** Turns sightings into versions and reports them. `came` are files that are known to be new at their paths. */
export async function processSightings(
  sightings: readonly Sighting[],
  came: readonly FileSighting[],
  parts: TrackerParts,
): Promise<void> {
  const sorted = await sortSightings(sightings, came, parts);
  const { leaving, reads } = sorted;
  for (let start = 0; start < reads.length; start += chunkSize)
    await storeChanges(await readAll(reads.slice(start, start + chunkSize), leaving, parts), parts);
  await storeChanges(await placeAll(sorted, parts), parts);
}

/** Returns drafts for files that are at their paths. Those that are no longer there when they are read join `leaving`. */
async function readAll(
  chunk: readonly Seen[],
  leaving: Map<TrackedFile, Sighting>,
  parts: TrackerParts,
): Promise<readonly FileDraft[]> {
  const drafts: FileDraft[] = [];
  await inParallel(chunk, async ({ file, sighting }) => {
    const draft = await readDraft(file, sighting, parts);
    if (draft === "gone") leaving.set(file, gone(sighting));
    else if (draft !== undefined) drafts.push(draft);
  });
  return drafts;
}

/**
 * Returns drafts for files that are not at their paths: their new paths, or their deletion if they are found
 * nowhere.
 */
async function placeAll(
  { arrived, exchanged, leaving, newcomers }: SortedSightings,
  parts: TrackerParts,
): Promise<readonly FileDraft[]> {
  const { store, files, watcher, tracked } = parts;
  const wasThere = [...leaving.keys()].filter((file) => !isMissing(file) && !exchanged.has(file));
  const leavingIds = new Set([...leaving.keys()].map(({ id }) => id));
  const goneAt = (file: TrackedFile): number => leaving.get(file)?.at ?? 0;
  const isReadable = (path: string): boolean => mayRead(path, parts);
  const search = { store, files, watcher, mayRead: isReadable, leaving: leavingIds, goneAt };
  const found = await findMoved(search, wasThere, arrived);
  const moved = new Map([...exchanged, ...found]);
  const drafts: FileDraft[] = [];
  for (const [file, sighting] of leaving) {
    const target = moved.get(file);
    if (target !== undefined) drafts.push(await moveDraft(file, target, parts));
    else if (isMissing(file)) tracked.saw(file, sighting);
    else drafts.push(deletionDraft(file, sighting, parts));
  }
  const targets = new Set([...moved.values()].map(({ path }) => path));
  for (const newcomer of newcomers) {
    if (targets.has(newcomer.path)) continue;
    const draft = await newcomerDraft(newcomer, leavingIds, parts);
    if (draft !== undefined) drafts.push(draft);
  }
  return drafts;
}
