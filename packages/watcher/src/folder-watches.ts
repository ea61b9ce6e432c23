import type { Logger } from "@self-context-manager/objects";

import { closeFolder, type FolderEvent, openFolder, reopenFolder } from "./shared-folders.ts";

/** The system watches of one watcher, at most `limit`, one for each folder. */
export interface FolderWatches {
  readonly limit: number;
  count(): number;
  open(folders: readonly string[]): void;
  close(folders: readonly string[]): void;
  /** Sets up the watches again, because other folders with the same names may have replaced these. */
  refresh(folders: readonly string[]): void;
  /** Tries the folders again that could not be watched; default: all of them. */
  retry(folders?: readonly string[]): void;
  covers(folder: string): boolean;
  hasUncovered(): boolean;
  /** Whether every folder is watched, or is known to be polled. */
  isSettled(): boolean;
  settled(): Promise<void>;
  closeAll(): Promise<void>;
}

export interface FolderWatchesOptions {
  readonly limit: number;
  readonly logger: Logger;
  readonly onEvent: (folder: string, event: FolderEvent) => void;
}

type State = "opening" | "open" | "failed" | "beyond";

interface Entry {
  readonly subscriber: (event: FolderEvent) => void;
  state: State;
  /** Whether another set-up was asked for during the current one. */
  again: boolean;
}

export function folderWatches({ limit, logger, onEvent }: FolderWatchesOptions): FolderWatches {
  const entries = new Map<string, Entry>();
  const pending = new Set<Promise<unknown>>();
  let used = 0;
  let openCount = 0;
  let hasWarned = false;

  function setState(entry: Entry, state: State): void {
    if (entry.state === "open") openCount -= 1;
    if (state === "open") openCount += 1;
    entry.state = state;
  }

  function run(work: Promise<unknown>): void {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  }

  function openOne(folder: string): void {
    const entry: Entry = {
      subscriber: (event) => {
        if (event === "lost" && entry.state === "open") setState(entry, "failed");
        onEvent(folder, event);
      },
      state: "beyond",
      again: false,
    };
    entries.set(folder, entry);
    if (used < limit) start(folder, entry, openFolder(folder, entry.subscriber));
  }

  function start(folder: string, entry: Entry, opening: Promise<boolean>): void {
    if (entry.state === "beyond") used += 1;
    setState(entry, "opening");
    run(finish(folder, entry, opening));
  }

  async function finish(folder: string, entry: Entry, opening: Promise<boolean>): Promise<void> {
    const isOpen = await opening;
    if (entries.get(folder) !== entry) return;
    setState(entry, isOpen ? "open" : "failed");
    if (entry.again) reopen(folder, entry);
    else if (!isOpen) warn(folder);
  }

  function reopen(folder: string, entry: Entry): void {
    entry.again = entry.state === "opening";
    if (entry.state === "open" || entry.state === "failed")
      start(folder, entry, reopenFolder(folder));
  }

  function warn(folder: string): void {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn("a folder cannot be watched; its known files are polled", {
      folder,
    });
  }

  function closeOne(folder: string): void {
    const entry = entries.get(folder);
    if (entry === undefined) return;
    entries.delete(folder);
    if (entry.state === "beyond") return;
    setState(entry, "failed");
    used -= 1;
    run(closeFolder(folder, entry.subscriber));
  }

  /** Gives free watches to folders without one. */
  function fill(): void {
    if (used >= limit || entries.size === used) return;
    for (const [folder, entry] of entries) {
      if (used >= limit) return;
      if (entry.state === "beyond") start(folder, entry, openFolder(folder, entry.subscriber));
    }
  }

  async function settled(): Promise<void> {
    while (pending.size > 0) await Promise.allSettled(pending);
  }

  return {
    limit,
    count: () => used,
    open: (folders) => folders.forEach(openOne),
    close(folders) {
      folders.forEach(closeOne);
      fill();
    },
    refresh(folders) {
      for (const folder of folders) {
        const entry = entries.get(folder);
        if (entry !== undefined) reopen(folder, entry);
      }
    },
    retry(folders = [...entries.keys()]) {
      for (const folder of folders) {
        const entry = entries.get(folder);
        if (entry?.state === "failed") reopen(folder, entry);
      }
    },
    covers: (folder) => entries.get(folder)?.state === "open",
    hasUncovered: () => openCount < entries.size,
    isSettled: () => pending.size === 0,
    settled,
    async closeAll() {
      [...entries.keys()].forEach(closeOne);
      await settled();
    },
  };
}
