import { type FSWatcher, watch } from "chokidar";

import { lstat } from "node:fs/promises";
import { basename, resolve } from "node:path";

/**
 * An event of a watched folder: an event of a name in it (after a rename another file or folder may have the name), an
 * event of the folder itself, anything, because events may have been lost, or the end of the watch.
 */
export type FolderEvent =
  | { readonly name: string; readonly isRename: boolean }
  | "itself"
  | "anything"
  | "lost";

export type OnFolderEvent = (event: FolderEvent) => void;

interface SharedFolder {
  readonly subscribers: Set<OnFolderEvent>;
  watcher: FSWatcher | undefined;
  /** Whether the watch could be set up; replaced by a later attempt. */
  opening: Promise<boolean>;
}

/**
 * The watched folders of this process. chokidar shares one system watch among all users of a path. If the folder is
 * moved away, that watch stays with the moved folder, so a new watch can be set up only for all users together.
 */
const sharedFolders = new Map<string, SharedFolder>();

/** Milliseconds after which a folder whose watch is not ready counts as not watched. */
const openingTime = 5_000;

/**
 * Watches a folder, without its subfolders. Resolves to false if that fails; `closeFolder` is required in both cases.
 */
export async function openFolder(path: string, subscriber: OnFolderEvent): Promise<boolean> {
  const known = sharedFolders.get(path);
  const shared: SharedFolder = known ?? {
    subscribers: new Set(),
    watcher: undefined,
    opening: Promise.resolve(false),
  };
  shared.subscribers.add(subscriber);
  if (known === undefined) {
    sharedFolders.set(path, shared);
    shared.opening = open(path, shared);
  }
  return await shared.opening;
}

/** Sets up a folder's watch again for all its users, and notifies them that anything may have changed. */
export async function reopenFolder(path: string): Promise<boolean> {
  const shared = sharedFolders.get(path);
  if (shared === undefined) return false;
  const earlier = shared.opening;
  const opening = (async () => {
    await earlier;
    await shared.watcher?.close();
    return await open(path, shared);
  })();
  shared.opening = opening;
  const isOpen = await opening;
  if (isOpen) notify(shared, "anything");
  return isOpen;
}

export async function closeFolder(path: string, subscriber: OnFolderEvent): Promise<void> {
  const shared = sharedFolders.get(path);
  if (shared === undefined || !shared.subscribers.delete(subscriber)) return;
  if (shared.subscribers.size > 0) return;
  sharedFolders.delete(path);
  await shared.opening;
  await shared.watcher?.close();
}

async function open(path: string, shared: SharedFolder): Promise<boolean> {
  shared.watcher = undefined;
  // For a folder that does not exist, chokidar would wait with watches that are not counted here.
  if (!(await isFolder(path))) return false;
  const watcher = watch(path, {
    backend: "native",
    depth: 0,
    // Only the folder's own events are needed, not chokidar's view of each file in it.
    ignored: (entry) => resolve(entry) !== path,
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    persistent: false,
  });
  shared.watcher = watcher;
  watcher.on("raw", (event, name, details) => {
    if (shared.watcher !== watcher || watchedPath(details) !== path) return;
    const isRename = event === "rename";
    if (typeof name !== "string" || name === "") notify(shared, "anything");
    else notify(shared, { name, isRename });
    // Linux reports the end of the folder in this way; a child of the same name causes a look that is not needed.
    if (isRename && name === basename(path)) notify(shared, "itself");
  });
  watcher.on("unlinkDir", () => {
    if (shared.watcher === watcher) notify(shared, "itself");
  });
  return await new Promise<boolean>((settle) => {
    let isOpen: boolean | undefined;
    const end = (succeeded: boolean): void => {
      clearTimeout(late);
      isOpen ??= succeeded;
      settle(isOpen);
    };
    const late = setTimeout(() => end(false), openingTime);
    late.unref();
    watcher.on("error", () => {
      // A watch that never worked is not reported as lost, because it would be tried again at once, without end.
      if (isOpen === true && shared.watcher === watcher) notify(shared, "lost");
      end(false);
    });
    watcher.on("ready", () => end(true));
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    // A path that cannot be looked at cannot be watched either.
    return false;
  }
}

function notify(shared: SharedFolder, event: FolderEvent): void {
  for (const subscriber of shared.subscribers) subscriber(event);
}

function watchedPath(details: unknown): unknown {
  return typeof details === "object" && details !== null && "watchedPath" in details
    ? details.watchedPath
    : undefined;
}
