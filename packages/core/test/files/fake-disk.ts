import {
  FileError,
  type FileFacts,
  type FileSighting,
  type FileSource,
  type Sighting,
  type SightingListener,
  type Watcher,
} from "@self-context-manager/objects";
import { posix } from "node:path";

/** A disk in memory, as a source of files and with a watcher that tells of each change at once. */
export interface FakeDisk {
  readonly files: FileSource;
  readonly watcher: Watcher;
  /** The paths that were read, in order. */
  readonly reads: string[];
  /** Makes or changes a file. */
  write(path: string, text: string): void;
  delete(path: string): void;
  move(from: string, to: string): void;
  /** Runs when a file is about to be read, once. */
  beforeRead(action: () => void): void;
}

interface FakeFile {
  readonly text: string;
  readonly node: string;
  readonly born: number;
  readonly modified: number;
  readonly changed: number;
}

/** How far the clock goes with each change, in milliseconds: further than versions and times are in doubt. */
const step = 60_000;

export function fakeDisk(initial: Readonly<Record<string, string>> = {}): FakeDisk {
  const disk = new Map<string, FakeFile>();
  const reads: string[] = [];
  let listener: SightingListener = () => undefined;
  const watched = new Set<string>();
  let now = 1_700_000_000_000;
  let nodes = 0;
  let action: (() => void) | undefined;

  const sightingAt = (path: string): Sighting => {
    const file = disk.get(path);
    if (file === undefined) return { state: "absent", path, at: now };
    const { text, ...facts } = file;
    return { state: "file", path, at: now, size: text.length, ...facts };
  };
  const tell = (...paths: readonly string[]): void => {
    const told = paths.filter((path) => watched.has(path));
    if (told.length > 0) listener(told.map(sightingAt));
  };
  const put = (path: string, text: string): void => {
    now += step;
    const known = disk.get(path);
    if (known === undefined) nodes += 1;
    const { node = `1:${nodes}`, born = now } = known ?? {};
    disk.set(path, { text, node, born, modified: now, changed: now });
  };
  for (const [path, text] of Object.entries(initial)) put(path, text);

  const factsOf = (path: string): FileFacts | undefined => {
    const file = disk.get(path);
    if (file === undefined) return undefined;
    return { realPath: path, kind: "file", size: file.text.length, modified: file.modified };
  };
  return {
    reads,
    write: (path, text) => {
      put(path, text);
      tell(path);
    },
    delete: (path) => {
      now += step;
      disk.delete(path);
      tell(path);
    },
    move: (from, to) => {
      const file = disk.get(from);
      if (file === undefined) throw new TypeError(`there is no file at ${from}`);
      now += step;
      disk.delete(from);
      disk.set(to, { ...file, changed: now });
      tell(from, to);
    },
    beforeRead: (next) => void (action = next),
    files: {
      resolve: (path, base) => posix.resolve(base, path),
      stat: async (path) => await Promise.resolve(factsOf(path)),
      read: async (path) => {
        reads.push(path);
        const file = disk.get(path);
        const due = action;
        action = undefined;
        due?.();
        if (file === undefined) throw new FileError("FILE_MISSING", `There is no file at ${path}.`);
        const { text, modified } = file;
        return await Promise.resolve({ realPath: path, size: text.length, modified, text });
      },
    },
    watcher: {
      listen: (next) => void (listener = next),
      add: async (files) => {
        for (const { path } of files) watched.add(path);
        await Promise.resolve();
      },
      remove: (paths) => {
        for (const path of paths) watched.delete(path);
      },
      ready: async () => await Promise.resolve(),
      look: async (paths) => await Promise.resolve(paths.map(sightingAt)),
      search: async ({ files }) => {
        const isWanted = ({ node, size }: FileSighting): boolean =>
          files.some((one) => one.node === node || (one.size !== undefined && one.size === size));
        const found = [...disk.keys()].map(sightingAt).filter((one) => one.state === "file");
        return await Promise.resolve(found.filter(isWanted));
      },
      watches: { count: 0, limit: 0 },
      [Symbol.asyncDispose]: async () => await Promise.resolve(),
    },
  };
}
