import {
  type Clock,
  type KnownFile,
  type Logger,
  type Sighting,
  type SightingListener,
  silentLogger,
  type Watcher,
  WatcherError,
} from "@self-context-manager/objects";

import { join } from "node:path";

import { lookExactly } from "./exact-names.ts";
import { folderWatches } from "./folder-watches.ts";
import { knownPaths } from "./known-paths.ts";
import { isSameSighting, lookAt } from "./look-at.ts";
import { recentNames } from "./recent-names.ts";
import { searchFolders, wantedFiles } from "./search-folders.ts";
import { settling, usualTiming, type WatchTiming } from "./settling.ts";
import type { FolderEvent } from "./shared-folders.ts";

export interface WatchFilesOptions {
  /** The folders in which moved files are searched, as real paths; default: none. */
  readonly roots?: readonly string[];
  /** The most folders with a system watch; files in other folders are polled. Default: 1,024. */
  readonly maxWatches?: number;
  /** The most entries that a search looks at; default: 200,000. */
  readonly maxSearched?: number;
  /**
   * Whether to poll instead of using system watches, for network file systems. Default: as `CHOKIDAR_USEPOLLING` sets.
   */
  readonly polling?: boolean;
  readonly timing?: Partial<WatchTiming>;
  /** Must be the clock of the files' times; default: the machine's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
}

interface Known {
  /** The last reported sighting, or the known state if nothing was reported. */
  reported: Sighting | undefined;
}

/** With so many events at once, the system's queue may have overflowed. */
const manyEvents = 4_000;

/** Watches the folders of known files on this machine. It does not keep the process alive. */
export function watchFiles(options: WatchFilesOptions = {}): Watcher {
  const timing: WatchTiming = { ...usualTiming, ...options.timing };
  const clock = options.clock ?? { now: () => Date.now() };
  const roots = options.roots ?? [];
  const known = new Map<string, Known>();
  /** The known states with which files are compared once they are watched. */
  const unchecked = new Map<string, KnownFile>();
  /** Files that differ from their known state and have not been reported yet. */
  const differing = new Set<string>();
  const paths = knownPaths(roots);
  const unsettled = settling(timing);
  const recent = recentNames();
  const watches = folderWatches({
    limit: isPolling(options) ? 0 : checkedLimit(options.maxWatches ?? 1_024),
    logger: options.logger ?? silentLogger,
    onEvent,
  });
  const kept: Sighting[] = [];
  let listener: SightingListener | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let flushing: Promise<void> | undefined;
  let eventCount = 0;
  let closed = false;
  const readyWaiters: (() => void)[] = [];
  let polledAt = now();
  let sweptAt = now();

  function report(sightings: readonly Sighting[]): void {
    if (closed || sightings.length === 0) return;
    if (listener === undefined) kept.push(...sightings);
    else listener(sightings);
  }

  function onEvent(folder: string, event: FolderEvent): void {
    if (closed) return;
    if (event === "anything") {
      // A folder that is back may contain its subfolders already.
      watches.retry(paths.foldersBelow(folder).slice(1));
      return touchBelow(folder);
    }
    if (event === "lost" || event === "itself") {
      touchBelow(folder);
      watches.refresh(paths.foldersBelow(folder));
      return;
    }
    eventCount += 1;
    const { name } = event;
    const entry = paths.folders.get(folder);
    const path = join(folder, name);
    if (entry?.files.has(name) === true) return touch(path);
    if (entry?.folders.has(name) === true) {
      if (event.isRename) watches.refresh(paths.foldersBelow(path));
      return touchBelow(path);
    }
    recent.note(path, now());
    for (const other of entry?.files ?? []) {
      if (other.length === name.length && isSameButCase(other, name)) touch(join(folder, other));
    }
  }

  function touch(path: string): void {
    unsettled.touch(path, now());
    wake(now() + timing.quiet);
  }

  function touchBelow(folder: string): void {
    for (const path of paths.below(folder)) unsettled.touch(path, now());
    wake(now() + timing.quiet);
  }

  /** Makes sure that a look takes place at this time or before. */
  function wake(at: number): void {
    if (closed || flushing !== undefined || timerAt <= at) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(flush, Math.max(1, at - now()));
    timer.unref();
  }

  function schedule(): void {
    if (known.size === 0) return;
    const polled = watches.hasUncovered() ? polledAt + pollPause() : Number.POSITIVE_INFINITY;
    wake(Math.min(unsettled.nextDue() ?? polled, polled, sweptAt + timing.sweep));
  }

  /**
   * Milliseconds between polls. With many files it is longer, so that polling uses only a few percent of a processor.
   */
  function pollPause(): number {
    return Math.max(timing.poll, known.size / 2);
  }

  function flush(): void {
    if (closed) return;
    clearTimeout(timer);
    timerAt = Number.POSITIVE_INFINITY;
    flushing ??= step().finally(() => {
      flushing = undefined;
      if (unchecked.size > 0) void watches.settled().then(flush);
      else if (isReady()) for (const done of readyWaiters.splice(0)) done();
      schedule();
    });
  }

  /** Looks once at all due paths. Looks never overlap, so the last report shows the last state. */
  async function step(): Promise<void> {
    await checkUnchecked();
    await lookAround();
    const due = unsettled.takeDue(now());
    const reported: Sighting[] = [];
    for (const sighting of await lookExactly(due, clock, recent)) {
      const entry = known.get(sighting.path);
      if (entry === undefined) unsettled.drop(sighting.path);
      if (entry === undefined || !unsettled.settles(sighting.path, sighting, entry.reported, now()))
        continue;
      differing.delete(sighting.path);
      if (isSameSighting(entry.reported, sighting)) continue;
      entry.reported = sighting;
      reported.push(sighting);
    }
    report(reported);
  }

  /** Compares files whose watches are ready with their known states. */
  async function checkUnchecked(): Promise<void> {
    if (!watches.isSettled()) return;
    const compared = [...unchecked];
    unchecked.clear();
    const sightings = await lookExactly(
      compared.map(([path]) => path),
      clock,
      recent,
    );
    for (const [index, sighting] of sightings.entries()) {
      const entry = known.get(sighting.path);
      const given = compared[index]?.[1];
      if (entry === undefined || given === undefined) continue;
      if (isAsKnown(given, sighting)) entry.reported = sighting;
      else {
        entry.reported = undefined;
        differing.add(sighting.path);
        unsettled.touch(sighting.path, now() - timing.quiet, sighting);
      }
    }
  }

  /** Looks at files whose events may be missing. */
  async function lookAround(): Promise<void> {
    const isBurst = eventCount > manyEvents && unsettled.size === 0;
    if (unsettled.size === 0) eventCount = 0;
    const isSweep = isBurst || now() - sweptAt >= timing.sweep;
    const isPoll = watches.hasUncovered() && now() - polledAt >= pollPause();
    if (!isSweep && !isPoll) return;
    const looked = isSweep ? [...known.keys()] : uncovered();
    for (const sighting of await lookExactly(looked, clock, recent)) {
      const entry = known.get(sighting.path);
      if (entry === undefined || unchecked.has(sighting.path)) continue;
      if (!isSameSighting(entry.reported, sighting))
        unsettled.touch(sighting.path, now(), sighting);
    }
    polledAt = now();
    if (isSweep) {
      sweptAt = now();
      recent.forget(now());
      watches.retry();
    }
  }

  function uncovered(): readonly string[] {
    return [...paths.folders.values()]
      .filter(({ path }) => !watches.covers(path))
      .flatMap(({ path, files }) => [...files].map((name) => join(path, name)));
  }

  function isReady(): boolean {
    return watches.isSettled() && unchecked.size === 0 && differing.size === 0;
  }

  function checkOpen(): void {
    if (closed) throw new WatcherError("WATCHER_CLOSED", "this watcher is closed; open another");
  }

  return {
    watches: {
      get count() {
        return watches.count();
      },
      limit: watches.limit,
    },
    listen(next) {
      listener = next;
      report(kept.splice(0));
    },
    async add(files) {
      checkOpen();
      for (const file of files) {
        unchecked.set(file.path, file);
        if (known.has(file.path)) continue;
        known.set(file.path, { reported: undefined });
        watches.open(paths.add(file.path));
      }
      await Promise.resolve();
      void watches.settled().then(flush);
    },
    remove(removed) {
      for (const path of removed) {
        if (!known.delete(path)) continue;
        unsettled.drop(path);
        unchecked.delete(path);
        differing.delete(path);
        watches.close(paths.remove(path));
      }
    },
    async ready() {
      checkOpen();
      await watches.settled();
      if (flushing !== undefined) await flushing;
      if (isReady()) return;
      const done = new Promise<void>((resolve) => readyWaiters.push(resolve));
      flush();
      await done;
      checkOpen();
    },
    async look(asked) {
      checkOpen();
      return await lookAt(asked, clock);
    },
    async search(search) {
      checkOpen();
      recent.forget(now());
      const wanted = wantedFiles(search);
      const hints = await lookAt(recent.paths(), clock);
      const found = hints.filter((sighting) => wanted.fits(sighting));
      if (wanted.isFound()) return found;
      const limit = options.maxSearched ?? 200_000;
      const walked = await searchFolders({ roots, clock, limit }, wanted, search.since);
      return [...new Map([...found, ...walked].map((one) => [one.path, one])).values()];
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      clearTimeout(timer);
      known.clear();
      for (const wake of readyWaiters.splice(0)) wake();
      await watches.closeAll();
      await flushing;
    },
  };
}

function isAsKnown({ seen }: KnownFile, sighting: Sighting): boolean {
  if (seen === undefined) return false;
  if (seen === "absent") return sighting.state === "absent";
  return (
    sighting.state === "file" &&
    sighting.size === seen.size &&
    sighting.modified === seen.modified &&
    (seen.node === undefined || sighting.node === seen.node)
  );
}

function isSameButCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function isPolling({ polling }: WatchFilesOptions): boolean {
  // chokidar would poll the folders instead, which does not show a change of a file.
  const asked = process.env["CHOKIDAR_USEPOLLING"];
  return polling ?? (asked !== undefined && !["", "0", "false"].includes(asked.toLowerCase()));
}

function checkedLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new RangeError(`maxWatches is ${limit}; it must be a whole number from 0`);
}

/** Milliseconds for waiting times; the files' times are those of `clock`. */
function now(): number {
  return performance.now();
}
