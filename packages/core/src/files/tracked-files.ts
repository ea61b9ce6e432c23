import {
  type FileSighting,
  type ObjectId,
  presenceOf,
  type Sighting,
  type StoredMetadata,
} from "@self-context-manager/objects";

/** A file object that is followed on disk. */
export interface TrackedFile {
  readonly id: ObjectId;
  /** The version that is known to whoever tracks it. */
  stored: StoredMetadata;
  /** Where it is, or was last. */
  path: string;
  /** What stood there when it was judged last. */
  seen: Sighting | undefined;
  /** The version that was known then; what was seen says nothing of one that came since. */
  seenWith: number;
  /** The file that it was when one was seen last, wherever that is now. */
  lastFile: FileSighting | undefined;
  /** When it was last seen there as a file, and when it was first found gone; in the watcher's time. */
  presentAt: number | undefined;
  goneAt: number | undefined;
  /** What was reported of it without a version, so that it is not reported twice. */
  reported: "unreadable" | "outdated" | undefined;
}

/** The tracked files by id and by path. */
export interface TrackedFiles {
  readonly all: ReadonlyMap<ObjectId, TrackedFile>;
  /** Takes a version in; undefined for an object that has never been at a path. */
  put(stored: StoredMetadata): TrackedFile | undefined;
  remove(id: ObjectId): TrackedFile | undefined;
  /** The files at a path: those that are there, else the one that was last. */
  at(path: string): readonly TrackedFile[];
  /** Takes out the paths at which files came or went since the last time. */
  takeTouchedPaths(): readonly string[];
  /** The tracked file that a sighting shows, by its node, wherever it was. */
  shownBy(sighting: FileSighting): TrackedFile | undefined;
  /** Notes what was seen of a file. */
  saw(file: TrackedFile, sighting: Sighting | undefined): void;
}

export function trackedFiles(): TrackedFiles {
  const all = new Map<ObjectId, TrackedFile>();
  const byPath = new Map<string, Set<TrackedFile>>();
  const touched = new Set<string>();
  const byNode = new Map<string, Set<TrackedFile>>();

  function put(stored: StoredMetadata): TrackedFile | undefined {
    const path = stored.body["path"] ?? stored.body.provenance.origin;
    if (typeof path !== "string" || path === "") return undefined;
    const known = all.get(stored.body.id);
    if (known === undefined) {
      const file: TrackedFile = {
        id: stored.body.id,
        stored,
        path,
        seen: undefined,
        seenWith: stored.version,
        lastFile: undefined,
        presentAt: undefined,
        goneAt: undefined,
        reported: undefined,
      };
      all.set(file.id, file);
      join(byPath, path, file);
      touched.add(path);
      return file;
    }
    if (known.path !== path) {
      leave(byPath, known.path, known);
      touched.add(known.path).add(path);
      known.path = path;
      join(byPath, path, known);
      saw(known, undefined);
    }
    known.stored = stored;
    return known;
  }

  function saw(file: TrackedFile, sighting: Sighting | undefined): void {
    if (file.seen?.state === "file") leave(byNode, file.seen.node, file);
    file.seen = sighting;
    file.seenWith = file.stored.version;
    if (sighting?.state === "file") {
      join(byNode, sighting.node, file);
      file.lastFile = sighting;
      file.presentAt = sighting.at;
      file.goneAt = undefined;
    } else if (sighting !== undefined) file.goneAt ??= sighting.at;
  }

  function at(path: string): readonly TrackedFile[] {
    const files = [...(byPath.get(path) ?? [])];
    const there = files.filter((file) => !isMissing(file));
    if (there.length > 0 || files.length < 2) return there.length > 0 ? there : files;
    return [
      files.reduce((one, other) => (one.stored.at.tx_id >= other.stored.at.tx_id ? one : other)),
    ];
  }

  return {
    all,
    put,
    saw,
    at,
    remove(id) {
      const file = all.get(id);
      if (file === undefined) return undefined;
      saw(file, undefined);
      leave(byPath, file.path, file);
      touched.add(file.path);
      all.delete(id);
      return file;
    },
    takeTouchedPaths() {
      const paths = [...touched];
      touched.clear();
      return paths;
    },
    shownBy: (sighting) =>
      [...(byNode.get(sighting.node) ?? [])].find(
        ({ seen }) => seen?.state === "file" && isSameFile(seen, sighting),
      ),
  };
}

/** Whether a tracked file is gone by what is stored. */
export function isMissing({ stored }: TrackedFile): boolean {
  return presenceOf(stored.body) === "missing";
}

/**
 * Whether two sightings, of whatever paths, show one file. A node alone does not tell: that of a deleted file is used
 * again.
 */
export function isSameFile(one: FileSighting, other: FileSighting): boolean {
  if (one.node !== other.node) return false;
  if (one.born !== undefined && one.born === other.born) return true;
  return one.size === other.size && one.modified === other.modified;
}

function join<Key>(map: Map<Key, Set<TrackedFile>>, key: Key, file: TrackedFile): void {
  const files = map.get(key);
  if (files === undefined) map.set(key, new Set([file]));
  else files.add(file);
}

function leave<Key>(map: Map<Key, Set<TrackedFile>>, key: Key, file: TrackedFile): void {
  const files = map.get(key);
  if (files === undefined) return;
  files.delete(file);
  if (files.size === 0) map.delete(key);
}
