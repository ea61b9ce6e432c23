import {
  type FileSighting,
  type ObjectId,
  presenceOf,
  type Sighting,
  type StoredMetadata,
} from "@self-context-manager/objects";

/** A file object that is tracked on disk. */
export interface TrackedFile {
  readonly id: ObjectId;
  /** The newest version that the tracker knows. */
  stored: StoredMetadata;
  /** The path of the file, or its last path. */
  path: string;
  /** The sighting by which the file was judged last; undefined before the first. */
  seen: Sighting | undefined;
  /** The newest known version at the time of `seen`. The sighting gives no information about later versions. */
  seenWith: number;
  /** The last sighting of the file as present, at whatever path. */
  lastFile: FileSighting | undefined;
  /**
   * The times at which the file was last seen at its path and at which it was first found missing, by the watcher's
   * clock.
   */
  presentAt: number | undefined;
  goneAt: number | undefined;
  /** The state that was reported without a version. It is reported only once. */
  reported: "unreadable" | "outdated" | undefined;
}

/** The tracked files by id and by path. */
export interface TrackedFiles {
  readonly all: ReadonlyMap<ObjectId, TrackedFile>;
  /** Adds a version and returns its file; undefined for an object that never had a path. */
  put(stored: StoredMetadata): TrackedFile | undefined;
  remove(id: ObjectId): TrackedFile | undefined;
  /** Returns the files at a path: those that are present, or else the one that was there last. */
  at(path: string): readonly TrackedFile[];
  /** Returns the paths whose files have changed since the last call, and clears this list. */
  takeTouchedPaths(): readonly string[];
  /** Returns the tracked file whose last sighting shows the same file, at whatever path. */
  shownBy(sighting: FileSighting): TrackedFile | undefined;
  /** Records a sighting of a file. */
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

/** Whether the newest version of a tracked file records that the file is missing. */
export function isMissing({ stored }: TrackedFile): boolean {
  return presenceOf(stored.body) === "missing";
}

/**
 * Whether two sightings, at any paths, show one file. An equal node is not enough: the node of a deleted file is used
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
