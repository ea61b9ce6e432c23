import {
  diskState,
  type FileSighting,
  presenceOf,
  type Sighting,
} from "@self-context-manager/objects";
import { isMissing, isSameFile, type TrackedFile } from "./tracked-files.ts";

/**
 * What a sighting means for the object at its path: nothing new; it has to be read; it is not there; it is another
 * file, which was elsewhere while ours was here (decision D56); or it may not be looked at.
 */
export type Verdict = "same" | "read" | "vanished" | "displaced" | "unreadable";

/** A file system's clock ticks this coarsely, in milliseconds. */
const tick = 20;

/** Where the difference of a file's time and the look's is more than this, they are of different clocks. */
const sharedClock = 2_000;

/** How much later than the file was changed a version can be stored, so that it may have missed a change of that time. */
const doubtful = 1_000;
const doubtfulWholeSeconds = 3_000;

/** Judges what stands at a tracked file's path. */
export function judgeSighting(file: TrackedFile, sighting: Sighting): Verdict {
  if (sighting.state === "unreadable") return "unreadable";
  if (sighting.state !== "file") return isMissing(file) ? "same" : "vanished";
  const { seen, lastFile } = file;
  if (isMissing(file)) {
    if (lastFile !== undefined && isSameFile(lastFile, sighting)) return "read";
    return wasElsewhere(sighting, lastHere(file)) ? "displaced" : "read";
  }
  if (seen === undefined) return isAsStored(file, sighting) ? "same" : "read";
  if (seen.state !== "file") return "read";
  if (seen.node !== sighting.node) {
    return wasElsewhere(sighting, file.presentAt) ? "displaced" : "read";
  }
  if (file.reported !== undefined || !isUnchanged(seen, sighting)) return "read";
  return file.seenWith === file.stored.version || isAsStored(file, sighting) ? "same" : "read";
}

/** Whether a file looks as it was seen. */
function isUnchanged(seen: Sighting | undefined, sighting: FileSighting): boolean {
  return (
    seen?.state === "file" &&
    seen.node === sighting.node &&
    seen.size === sighting.size &&
    seen.modified === sighting.modified &&
    seen.changed === sighting.changed
  );
}

/** By size and time alone, without reading. */
function isAsStored({ stored }: TrackedFile, sighting: FileSighting): boolean {
  const { body } = stored;
  if (presenceOf(body) === "unread") return body["size"] === sighting.size;
  const disk = diskState(body);
  if (disk === undefined) return false;
  if (disk.size !== sighting.size || disk.modified !== sighting.modified) return false;
  const since = Math.abs(Date.parse(stored.at.tx_time) - disk.modified);
  return since > (disk.modified % 1_000 === 0 ? doubtfulWholeSeconds : doubtful);
}

/** The last time at which a file that is gone was at its path, as far as is known. */
function lastHere({ presentAt, goneAt, stored }: TrackedFile): number {
  const gone = goneAt === undefined ? 0 : goneAt - doubtful;
  if (presentAt !== undefined) return Math.max(presentAt, gone);
  // Recorded as gone before it was tracked here, perhaps long after it went.
  return Date.parse(stored.at.tx_time) - doubtful;
}

/**
 * Whether a file existed somewhere else, as it is, while another was still here; where the file system does not tell, it
 * did not. One that was written since is a save that began with a temporary file.
 */
function wasElsewhere(sighting: FileSighting, lastSeenHere: number | undefined): boolean {
  const { born, modified, changed, at } = sighting;
  if (born === undefined || lastSeenHere === undefined) return false;
  // A file that just came shows how far the file system's clock is from ours; a server's may be minutes behind.
  const isClockShared = Math.abs(at - changed) < sharedClock;
  const lastHereThere = isClockShared ? lastSeenHere : changed - (at - lastSeenHere);
  return Math.max(born, modified) < lastHereThere - tick;
}
