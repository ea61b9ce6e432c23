import {
  FileError,
  type FileSource,
  type FileState,
  type KnownFile,
  type Sighting,
  type SightingListener,
  type Watcher,
} from "@self-context-manager/objects";
import { posix } from "node:path";

/** Files in memory, each with the time of its last change, for a source and for watchers that look when they are asked. */
export interface WatchedFiles {
  /** The time of the files and of all sightings. */
  now: number;
  readonly files: FileSource;
  /** Returns a watcher of these files, as each process has its own. */
  watch(): KnowingWatcher;
  write(path: string, text: string): void;
}

interface KnowingWatcher extends Watcher {
  readonly known: ReadonlyMap<string, KnownFile>;
}

/** Returns files with these texts. */
export function watchedFiles(initial: Readonly<Record<string, string>>): WatchedFiles {
  const texts = new Map<string, { readonly text: string; readonly modified: number }>();
  const stateOf = (path: string): FileState | undefined => {
    const file = texts.get(path);
    return file && { size: file.text.length, modified: file.modified, node: path, born: 0 };
  };
  const sight = (path: string): Sighting => {
    const state = stateOf(path);
    const at = disk.now;
    if (state === undefined) return { state: "absent", path, at };
    return { ...state, state: "file", path, at, node: path, born: 0, changed: state.modified };
  };
  const disk: WatchedFiles = {
    now: 1_700_000_000_500,
    files: {
      resolve: (path, base) => posix.resolve(base, path),
      list: async () => await Promise.resolve([]),
      stat: async (path) => {
        const state = stateOf(path);
        return await Promise.resolve(state && { ...state, realPath: path, kind: "file" });
      },
      read: async (path) => {
        const state = stateOf(path);
        if (state === undefined)
          throw new FileError("FILE_MISSING", `There is no file at ${path}.`);
        const text = texts.get(path)?.text ?? "";
        return await Promise.resolve({ ...state, realPath: path, text });
      },
    },
    watch: () => watcherOf(sight),
    write: (path, text) => void texts.set(path, { text, modified: disk.now }),
  };
  for (const [path, text] of Object.entries(initial)) disk.write(path, text);
  return disk;
}

function watcherOf(sight: (path: string) => Sighting): KnowingWatcher {
  const known = new Map<string, KnownFile>();
  let listener: SightingListener = () => {};
  return {
    known,
    watches: { count: 0, limit: 0 },
    listen: (heard) => void (listener = heard),
    add: async (files) => {
      for (const file of files) known.set(file.path, file);
      await Promise.resolve();
    },
    remove(paths) {
      for (const path of paths) known.delete(path);
    },
    ready: async () => {
      listener([...known.keys()].map(sight));
      await Promise.resolve();
    },
    look: async (paths) => await Promise.resolve(paths.map(sight)),
    search: async () => await Promise.resolve([]),
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  };
}
