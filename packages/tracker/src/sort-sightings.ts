import {
  type FileSighting,
  presenceOf,
  sha256,
  type Sighting,
} from "@self-context-manager/objects";
import { findExchanged, type Seen } from "./find-exchanged.ts";
import { judgeSighting } from "./judge-sighting.ts";
import { tryRead } from "./read-files.ts";
import { isMissing, isSameFile, type TrackedFile } from "./tracked-files.ts";
import { gone, mayRead, notifyOther, type TrackerParts } from "./tracker-parts.ts";

/** Sightings, sorted by their meaning for the tracked files. */
export interface SortedSightings {
  /** Files whose path has a file that must be read. */
  readonly reads: readonly Seen[];
  /** Files that are no longer at their paths, with the sighting of what is there. */
  readonly leaving: Map<TrackedFile, Sighting>;
  /** Files that are new at their paths. */
  readonly arrived: readonly FileSighting[];
  /** Those of them that can be unrelated to the file that was at the path. */
  readonly newcomers: readonly FileSighting[];
  /** Leaving files that are at the path of another tracked file, as their content shows. */
  readonly exchanged: ReadonlyMap<TrackedFile, FileSighting>;
}

/** Sorts sightings. `came` are files that are known to be new at their paths. */
export async function sortSightings(
  sightings: readonly Sighting[],
  came: readonly FileSighting[],
  parts: TrackerParts,
): Promise<SortedSightings> {
  const reads: Seen[] = [];
  const leaving = new Map<TrackedFile, Sighting>();
  const arrived = [...came];
  const newcomers: FileSighting[] = [];

  for (const sighting of sightings) {
    if (parts.isHeld(sighting.path)) continue;
    for (const file of parts.tracked.at(sighting.path)) {
      if (!leaving.has(file)) await sort(file, sighting);
      else if (sighting.state === "file") arrived.push(sighting);
    }
  }
  const isReadable = (path: string): boolean => mayRead(path, parts);
  const exchanged = await findExchanged(parts.files, reads, [...leaving.keys()], isReadable);
  for (const [file, { path, at }] of exchanged) {
    const resident = reads.find(({ sighting }) => sighting.path === path)?.file;
    for (const one of [file, resident])
      if (one !== undefined && !leaving.has(one))
        leaving.set(one, gone({ state: "absent", path: one.path, at }));
  }
  const remaining = exchanged.size > 0 ? reads.filter(({ file }) => !leaving.has(file)) : reads;
  return { reads: remaining, leaving, arrived, newcomers, exchanged };

  async function sort(file: TrackedFile, sighting: Sighting): Promise<void> {
    if (sighting.state === "file") {
      const owner = await movedHere(file, sighting, parts);
      if (owner !== undefined) {
        leaving.set(owner.file, owner.home);
        if (!isMissing(file)) leaving.set(file, gone(sighting));
        arrived.push(sighting);
        return;
      }
    }
    const verdict = judgeSighting(file, sighting);
    if (verdict === "same") parts.tracked.saw(file, sighting);
    else if (verdict === "unreadable") {
      notifyOther(
        file,
        "unreadable",
        `${file.path} cannot be examined; its last version is kept.`,
        parts,
      );
    } else if (sighting.state !== "file") leaving.set(file, sighting);
    else if (verdict === "displaced" && !(await hasItsContent(file, sighting, parts))) {
      leaving.set(file, gone(sighting));
      arrived.push(sighting);
      newcomers.push(sighting);
    } else reads.push({ file, sighting });
  }
}

/** Returns another tracked file that this sighting shows, if it is no longer at its last path. */
async function movedHere(
  file: TrackedFile,
  sighting: FileSighting,
  { tracked, isHeld, watcher }: TrackerParts,
): Promise<{ readonly file: TrackedFile; readonly home: Sighting } | undefined> {
  const owner = tracked.shownBy(sighting);
  if (owner === undefined || owner.path === file.path || isHeld(owner.path)) return undefined;
  const [home] = await watcher.look([owner.path]);
  // A second hard link of a file is not a move.
  if (home === undefined || (home.state === "file" && isSameFile(home, sighting))) return undefined;
  return { file: owner, home: home.state === "file" ? gone(home) : home };
}

async function hasItsContent(
  file: TrackedFile,
  { path }: FileSighting,
  parts: TrackerParts,
): Promise<boolean> {
  if (presenceOf(file.stored.body) !== "present" || !mayRead(path, parts)) return false;
  const outcome = await tryRead(parts.files, path);
  if (!("file" in outcome) || outcome.file.text === null) return false;
  return sha256(outcome.file.text) === file.stored.hashes.content_hash;
}
