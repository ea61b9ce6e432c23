import { type FSWatcher, watch } from "chokidar";

import { lstat } from "node:fs/promises";
import { basename, resolve } from "node:path";

/**
 * What came of a watched folder: something about a name in it, which for a rename may be another file or folder now;
 * the folder itself; anything, because events may have been lost; or the end of the watch.
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
  /** Whether the watch could be set up; a later attempt takes its place. */
  opening: Promise<boolean>;
}

/**
 * The watched folders of this process. chokidar shares the system's watch of a path, and with it a watch that stayed
 * with a folder which was moved away; only all of its users together can set up a new one.
 */
const sharedFolders = new Map<string, SharedFolder>();

/** A folder that does not say so within this time is not watched. */
const openingTime = 5_000;

/** Watches a folder without what is below it. Answers false where that cannot be; `closeFolder` is due either way. */
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

/** Sets a folder's watch up anew, for all who use it; they are told that anything may have happened. */
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
  if (isOpen) tell(shared, "anything");
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
  // chokidar would wait for a folder that is not there, by watches that nobody counts.
  if (!(await isFolder(path))) return false;
  const watcher = watch(path, {
    backend: "native",
    depth: 0,
    // Only the folder's own events are wanted, not chokidar's view of each file in it.
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
    if (typeof name !== "string" || name === "") tell(shared, "anything");
    else tell(shared, { name, isRename });
    // So Linux reports the end of the folder; a child of the same name costs a needless look.
    if (isRename && name === basename(path)) tell(shared, "itself");
  });
  watcher.on("unlinkDir", () => {
    if (shared.watcher === watcher) tell(shared, "itself");
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
      // What never worked is not lost: telling so would try it again at once, and for ever.
      if (isOpen === true && shared.watcher === watcher) tell(shared, "lost");
      end(false);
    });
    watcher.on("ready", () => end(true));
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    // Whatever keeps it from being looked at keeps it from being watched.
    return false;
  }
}

function tell(shared: SharedFolder, event: FolderEvent): void {
  for (const subscriber of shared.subscribers) subscriber(event);
}

function watchedPath(details: unknown): unknown {
  return typeof details === "object" && details !== null && "watchedPath" in details
    ? details.watchedPath
    : undefined;
}
