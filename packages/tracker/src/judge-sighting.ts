import {
  diskState,
  type FileSighting,
  presenceOf,
  type Sighting,
} from "@self-context-manager/objects";
import { isMissing, isOtherFile, isSameFile, type TrackedFile } from "./tracked-files.ts";

/**
 * The meaning of a sighting for the object at its path. `same`: nothing is new. `read`: the file must be read.
 * `vanished`: the file is not there. `displaced`: the path has another file, which existed elsewhere while the known
 * file was still here (decision D56). `unreadable`: the file cannot be examined.
 */
export type Verdict = "same" | "read" | "vanished" | "displaced" | "unreadable";

/** The resolution of file times, in milliseconds. */
const tick = 20;

/**
 * The greatest difference, in milliseconds, between the change time of a new file and the time of the check at which
 * both count as times of one clock.
 */
const sharedClock = 2_000;

/**
 * The milliseconds after a file's time within which a version is doubtful: a second change in this span can have the
 * same file time.
 */
const doubtful = 1_000;
const doubtfulWholeSeconds = 3_000;

/** Returns what a sighting at a tracked file's path means. */
export function judgeSighting(file: TrackedFile, sighting: Sighting): Verdict {
  if (sighting.state === "unreadable") return "unreadable";
  if (sighting.state !== "file") return isMissing(file) ? "same" : "vanished";
  const { seen, lastFile } = file;
  if (isMissing(file)) {
    const last = lastFile ?? diskState(file.stored.body);
    if (last !== undefined && isSameFile(last, sighting)) return "read";
    return wasElsewhere(sighting, lastHere(file)) ? "displaced" : "read";
  }
  if (seen === undefined) {
    if (isAsStored(file, sighting)) return "same";
    return wasOtherBefore(file, sighting) ? "displaced" : "read";
  }
  if (seen.state !== "file") return "read";
  if (seen.node !== sighting.node) {
    return wasElsewhere(sighting, file.presentAt) ? "displaced" : "read";
  }
  if (file.reported !== undefined || !isUnchanged(seen, sighting)) return "read";
  return file.seenWith === file.stored.version || isAsStored(file, sighting) ? "same" : "read";
}

/** Whether a file has the node, size and times of its last sighting. */
function isUnchanged(seen: Sighting | undefined, sighting: FileSighting): boolean {
  return (
    seen?.state === "file" &&
    seen.node === sighting.node &&
    seen.size === sighting.size &&
    seen.modified === sighting.modified &&
    seen.changed === sighting.changed
  );
}

/**
 * Whether a file without a sighting is one that existed elsewhere while the stored version was at this path. Its node must
 * show that it is another file.
 */
function wasOtherBefore({ stored }: TrackedFile, sighting: FileSighting): boolean {
  const disk = diskState(stored.body);
  if (disk === undefined || !isOtherFile(disk, sighting)) return false;
  if (presenceOf(stored.body) === "unread") return false;
  const { born, modified } = sighting;
  // Both times are of the file system, so they are certain.
  if (born !== undefined && Math.max(born, modified) < disk.modified - tick) return true;
  return wasElsewhere(sighting, Date.parse(stored.at.tx_time) - doubtful);
}

/** Whether a file agrees with its stored version by size and time, without a read of its content. */
export function isAsStored({ stored }: TrackedFile, sighting: FileSighting): boolean {
  const { body } = stored;
  if (presenceOf(body) === "unread") return body["size"] === sighting.size;
  const disk = diskState(body);
  if (disk === undefined || isOtherFile(disk, sighting)) return false;
  if (disk.size !== sighting.size || disk.modified !== sighting.modified) return false;
  const since = Math.abs(Date.parse(stored.at.tx_time) - disk.modified);
  return since > (disk.modified % 1_000 === 0 ? doubtfulWholeSeconds : doubtful);
}

/** Returns the last time at which a deleted file is known to have been at its path. */
function lastHere({ presentAt, goneAt, stored }: TrackedFile): number {
  const gone = goneAt === undefined ? 0 : goneAt - doubtful;
  if (presentAt !== undefined) return Math.max(presentAt, gone);
  // The deletion was recorded before the file was tracked here, perhaps long after it happened.
  return Date.parse(stored.at.tx_time) - doubtful;
}

/**
 * Whether a file existed elsewhere, unchanged, while the known file was still at this path. False if the file system
 * reports no creation time. False also for a file that was written later: it is a save that began with a temporary
 * file.
 */
function wasElsewhere(sighting: FileSighting, lastSeenHere: number | undefined): boolean {
  const { born, modified, changed, at } = sighting;
  if (born === undefined || lastSeenHere === undefined) return false;
  // The change time of a file that just appeared shows the distance between the file system's clock and the local one.
  // The clock of a file server can be minutes behind.
  const isClockShared = Math.abs(at - changed) < sharedClock;
  const lastHereThere = isClockShared ? lastSeenHere : changed - (at - lastSeenHere);
  return Math.max(born, modified) < lastHereThere - tick;
}
