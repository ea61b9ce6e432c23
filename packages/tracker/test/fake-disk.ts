import {
  type FileContent,
  FileError,
  type FileFacts,
  type FileIdentity,
  type FileSighting,
  type FileSource,
  type KnownFile,
  type Sighting,
  type SightingListener,
  type Watcher,
} from "@self-context-manager/objects";
import { posix } from "node:path";

/** Files in memory with nodes and times, like those of a disk. */
export interface FakeDisk {
  /** The time of the disk and of all sightings. */
  now: number;
  readonly files: FileSource;
  readonly watcher: FakeWatcher;
  /** Returns the disk with another watcher, as another process has it. */
  another(): Pick<FakeDisk, "files" | "watcher">;
  /** Paths that were read, in order. */
  readonly reads: string[];
  /** Writes to the file at a path and creates it if there is none. Null represents bytes that are not text. */
  write(path: string, text: string | null): void;
  rename(from: string, to: string): void;
  /** Exchanges the paths of two files. */
  exchange(one: string, other: string): void;
  /** Makes the watcher search only below a folder. */
  searchOnly(folder: string): void;
  /** Gives a file a second name. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Gives the next new file the node of an earlier file. */
  reuseNode(node: string): void;
  /** Makes the file source give no nodes, as for a store that was written without them. */
  withoutNodes(): void;
  /** Makes reads of a path fail with this error; undefined allows them again. */
  refuse(path: string, code: "FILE_UNREADABLE" | "FILE_TOO_LARGE" | undefined): void;
  /** Runs once after the next file is read and before its content is returned. */
  afterRead(action: () => Promise<void>): void;
  /** Makes checks of a path fail, or allows them again. */
  hide(path: string, isHidden: boolean): void;
}

/** A watcher that reports sightings only when a test asks for it. */
interface FakeWatcher extends Watcher {
  readonly known: ReadonlyMap<string, KnownFile>;
  readonly isClosed: boolean;
  /** Reports the present state of these paths. */
  tell(...paths: readonly string[]): void;
}

interface DiskFile {
  text: string | null;
  readonly node: string;
  readonly born: number;
  modified: number;
  changed: number;
}

/** An empty disk. */
export function fakeDisk(): FakeDisk {
  const entries = new Map<string, DiskFile>();
  const refused = new Map<string, "FILE_UNREADABLE" | "FILE_TOO_LARGE">();
  const hidden = new Set<string>();
  const reads: string[] = [];
  let nodes = 0;
  let hasNodes = true;
  let root = "/";
  let reused: string | undefined;
  let action: (() => Promise<void>) | undefined;

  const identity = ({ node, born }: DiskFile): FileIdentity => (hasNodes ? { node, born } : {});
  const sizeOf = ({ text }: DiskFile): number => text?.length ?? 7;
  const sight = (path: string): Sighting => {
    const at = disk.now;
    const file = entries.get(path);
    if (hidden.has(path)) return { state: "unreadable", path, at };
    if (file === undefined) return { state: "absent", path, at };
    const { node, born, modified, changed } = file;
    return { state: "file", path, at, node, born, modified, changed, size: sizeOf(file) };
  };
  const there = (path: string): DiskFile => {
    const file = entries.get(path);
    if (file === undefined) throw new FileError("FILE_MISSING", `There is no file at ${path}.`);
    return file;
  };

  const files: FileSource = {
    resolve: (path, base) => posix.resolve(base, path),
    list: async () => await Promise.resolve([]),
    stat: async (path): Promise<FileFacts | undefined> => {
      const file = entries.get(path);
      if (file === undefined) return await Promise.resolve(undefined);
      const { modified } = file;
      return { realPath: path, kind: "file", size: sizeOf(file), modified, ...identity(file) };
    },
    read: async (path): Promise<FileContent> => {
      reads.push(path);
      const code = refused.get(path);
      if (code !== undefined) throw new FileError(code, `${path} cannot be read.`);
      const file = there(path);
      const { text, modified } = file;
      const state = { size: sizeOf(file), modified, ...identity(file) };
      const due = action;
      action = undefined;
      await due?.();
      return { realPath: path, ...state, text };
    },
  };

  const watch = (): FakeWatcher =>
    fakeWatcher(sight, () => [...entries.keys()].filter((path) => path.startsWith(root)));

  const disk: FakeDisk = {
    now: 1_700_000_000_500,
    files,
    watcher: watch(),
    another: () => ({ files, watcher: watch() }),
    reads,
    write(path, text) {
      const file = entries.get(path);
      const { now } = disk;
      if (file !== undefined) Object.assign(file, { text, modified: now, changed: now });
      else {
        nodes += 1;
        const node = reused ?? `disk:${nodes}`;
        reused = undefined;
        entries.set(path, { text, node, born: now, modified: now, changed: now });
      }
    },
    rename(from, to) {
      const file = there(from);
      file.changed = disk.now;
      entries.delete(from);
      entries.set(to, file);
    },
    exchange(one, other) {
      disk.rename(one, "/exchanged");
      disk.rename(other, one);
      disk.rename("/exchanged", other);
    },
    searchOnly: (folder) => void (root = folder),
    link: (from, to) => void entries.set(to, there(from)),
    withoutNodes: () => void (hasNodes = false),
    reuseNode: (node) => void (reused = node),
    remove: (path) => void entries.delete(path),
    refuse(path, code) {
      if (code === undefined) refused.delete(path);
      else refused.set(path, code);
      there(path).changed = disk.now;
    },
    afterRead: (next) => void (action = next),
    hide: (path, isHidden) => void (isHidden ? hidden.add(path) : hidden.delete(path)),
  };
  return disk;
}

function fakeWatcher(
  sight: (path: string) => Sighting,
  paths: () => readonly string[],
): FakeWatcher {
  const known = new Map<string, KnownFile>();
  let listener: SightingListener = () => {};
  let isClosed = false;
  return {
    known,
    get isClosed() {
      return isClosed;
    },
    watches: { count: 0, limit: 0 },
    listen: (heard) => void (listener = heard),
    add: async (added) => {
      for (const file of added) known.set(file.path, file);
      await Promise.resolve();
    },
    remove(removed) {
      for (const path of removed) known.delete(path);
    },
    ready: async () => {
      const differing = [...known.values()].filter((file) => differs(file, sight(file.path)));
      if (differing.length > 0) listener(differing.map(({ path }) => sight(path)));
      await Promise.resolve();
    },
    look: async (asked) => await Promise.resolve(asked.map(sight)),
    search: async ({ files }) => {
      const all = paths()
        .map(sight)
        .filter((sighting): sighting is FileSighting => sighting.state === "file");
      const isWanted = (sighting: FileSighting): boolean =>
        files.some(({ node, size }) => sighting.node === node || sighting.size === size);
      return await Promise.resolve(all.filter(isWanted));
    },
    tell: (...asked) => {
      listener(asked.map(sight));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.resolve();
    },
  };
}

function differs({ seen }: KnownFile, sighting: Sighting): boolean {
  if (seen === undefined) return true;
  if (seen === "absent") return sighting.state === "file";
  if (sighting.state !== "file") return true;
  const { size, modified, node } = sighting;
  return size !== seen.size || modified !== seen.modified || node !== seen.node;
}
