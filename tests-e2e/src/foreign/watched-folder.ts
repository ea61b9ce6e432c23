import type { FileSource, Sighting, Watcher } from "@self-context-manager/objects";
import { memoryFolder, type MemoryFolder } from "@self-context-manager/testkit";

/** A working folder in memory whose files have times, and a watcher that sees a change only when a tracker looks. */
export interface WatchedFolder {
  readonly folder: MemoryFolder;
  /** Every text that a file ever had, by its path. */
  readonly everOnDisk: ReadonlyMap<string, ReadonlySet<string>>;
  watcher(): Watcher;
}

export function watchedFolder(files: Readonly<Record<string, string>>): WatchedFolder {
  const inner = memoryFolder();
  const times = new Map<string, number>();
  const everOnDisk = new Map<string, Set<string>>();
  let now = 1_000_000;
  const timeOf = (path: string): number => times.get(path) ?? 0;
  const set: MemoryFolder["set"] = (given, content) => {
    const path = inner.resolve(given, inner.path);
    now += 10_000;
    times.set(path, now);
    inner.set(path, content);
    everOnDisk.set(path, (everOnDisk.get(path) ?? new Set()).add(String(content)));
  };
  const folder: MemoryFolder & FileSource = {
    ...inner,
    set,
    stat: async (path) => {
      const facts = await inner.stat(path);
      return facts === undefined ? undefined : { ...facts, modified: timeOf(path) };
    },
    read: async (path) => ({ ...(await inner.read(path)), modified: timeOf(path) }),
  };
  for (const [path, text] of Object.entries(files)) set(path, text);
  return { folder, everOnDisk, watcher: () => lookingWatcher(folder, timeOf, () => now) };
}

function lookingWatcher(
  folder: MemoryFolder,
  timeOf: (path: string) => number,
  now: () => number,
): Watcher {
  const sighting = (path: string): Sighting => {
    const content = folder.get(path);
    if (content === undefined) return { state: "absent", path, at: now() };
    const [size, modified] = [Buffer.byteLength(content), timeOf(path)];
    return { state: "file", path, at: now(), node: path, size, modified, changed: modified };
  };
  return {
    listen: () => undefined,
    add: async () => await Promise.resolve(),
    remove: () => undefined,
    ready: async () => await Promise.resolve(),
    look: async (paths) => await Promise.resolve(paths.map(sighting)),
    search: async () => await Promise.resolve([]),
    watches: { count: 0, limit: 0 },
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  };
}
