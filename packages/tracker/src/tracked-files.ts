import {
  diskState,
  type FileSighting,
  type FileState,
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
  /** The node under which the file is found. */
  node: string | undefined;
  /**
   * Whether the file was only named. A change of its size makes no version, and it stays unread when it is created again
   * after a deletion.
   */
  isOnlyNamed: boolean;
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
  /**
   * Adds a version and returns its file; undefined for an object that never had a path. A file counts as only named until
   * it is put with false or has content.
   */
  put(stored: StoredMetadata, isOnlyNamed?: boolean): TrackedFile | undefined;
  remove(id: ObjectId): TrackedFile | undefined;
  /** Returns the files at a path: those that are present, or else the one that was there last. */
  at(path: string): readonly TrackedFile[];
  /** Returns the paths whose files have changed since the last call, and clears this list. */
  takeTouchedPaths(): readonly string[];
  /** Returns the tracked file that a sighting shows, at whatever path: see `lastState`. */
  shownBy(sighting: FileSighting): TrackedFile | undefined;
  /** Records a sighting of a file. */
  saw(file: TrackedFile, sighting: Sighting | undefined): void;
}

export function trackedFiles(): TrackedFiles {
  const all = new Map<ObjectId, TrackedFile>();
  const byPath = new Map<string, Set<TrackedFile>>();
  const touched = new Set<string>();
  const byNode = new Map<string, Set<TrackedFile>>();

  function put(stored: StoredMetadata, isOnlyNamed?: boolean): TrackedFile | undefined {
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
        node: undefined,
        isOnlyNamed: isOnlyNamed === true && !hasContent(stored),
        lastFile: undefined,
        presentAt: undefined,
        goneAt: undefined,
        reported: undefined,
      };
      all.set(file.id, file);
      join(byPath, path, file);
      findByNode(file, lastState(file)?.node);
      touched.add(path);
      return file;
    }
    if (known.path !== path) {
      leave(byPath, known.path, known);
      touched.add(known.path).add(path);
      known.path = path;
      join(byPath, path, known);
      known.seen = undefined;
      known.seenWith = stored.version;
    }
    known.stored = stored;
    if (isOnlyNamed === false || hasContent(stored)) known.isOnlyNamed = false;
    findByNode(known, lastState(known)?.node);
    return known;
  }

  function saw(file: TrackedFile, sighting: Sighting | undefined): void {
    file.seen = sighting;
    file.seenWith = file.stored.version;
    findByNode(file, lastState(file)?.node);
    if (sighting?.state === "file") {
      file.lastFile = sighting;
      file.presentAt = sighting.at;
      file.goneAt = undefined;
    } else if (sighting !== undefined) file.goneAt ??= sighting.at;
  }

  function findByNode(file: TrackedFile, node: string | undefined): void {
    if (file.node === node) return;
    if (file.node !== undefined) leave(byNode, file.node, file);
    if (node !== undefined) join(byNode, node, file);
    file.node = node;
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
      findByNode(file, undefined);
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
    shownBy(sighting) {
      const shown = [...(byNode.get(sighting.node) ?? [])].filter((file) => {
        const state = lastState(file);
        return state !== undefined && isSameFile(state, sighting);
      });
      return shown.find(({ path }) => path === sighting.path) ?? shown[0];
    },
  };
}

/**
 * Returns the state by which a file is recognised: that of its last sighting. A file without a sighting since its
 * tracking began has the state that is stored with its version. Undefined for a missing file.
 */
export function lastState(file: TrackedFile): FileState | undefined {
  if (file.seen !== undefined) return file.seen.state === "file" ? file.seen : undefined;
  return isMissing(file) ? undefined : diskState(file.stored.body);
}

/** Whether the newest version of a tracked file records that the file is missing. */
export function isMissing({ stored }: TrackedFile): boolean {
  return presenceOf(stored.body) === "missing";
}

/**
 * Whether two states, at any paths, are of one file. An equal node is not enough: the node of a deleted file is used
 * again, and a stored node can be that of an earlier file.
 */
export function isSameFile(one: FileState, other: FileState): boolean {
  if (one.node === undefined || one.node !== other.node) return false;
  if (one.born !== undefined && one.born === other.born) return true;
  return one.size === other.size && one.modified === other.modified;
}

/**
 * Whether two states are certainly of different files: their nodes differ and are of one device. The number of a device
 * can change when it is mounted again, and is another one on another machine.
 */
export function isOtherFile(one: FileState, other: FileState): boolean {
  return areComparable(one, other) && one.node !== other.node;
}

/** Whether both states have a node of the same device, so that the nodes show whether they are of one file. */
export function areComparable(one: FileState, other: FileState): boolean {
  return one.node !== undefined && other.node !== undefined && deviceOf(one) === deviceOf(other);
}

function deviceOf({ node = "" }: FileState): string {
  return node.slice(0, node.lastIndexOf(":") + 1);
}

function hasContent({ body }: StoredMetadata): boolean {
  const presence = presenceOf(body);
  return presence === "present" || presence === "non_text";
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
