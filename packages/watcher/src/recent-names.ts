import { basename, dirname } from "node:path";

import { isTemporaryName } from "./temporary-name.ts";

/** Names of unknown files with recent events: the first places to search for a file that moved. */
export interface RecentNames {
  note(path: string, now: number): void;
  paths(): readonly string[];
  /** Whether a name that differs from this one only in case was noted in the same folder. */
  hasCaseOf(path: string): boolean;
  /** Removes old names. */
  forget(now: number): void;
}

/** In milliseconds. */
const keptFor = 10_000;
const keptAtMost = 2_000;

export function recentNames(): RecentNames {
  const times = new Map<string, number>();
  const cases = new Map<string, string>();

  function drop(path: string): void {
    times.delete(path);
    cases.delete(path.toLowerCase());
  }

  return {
    note(path, now) {
      if (isTemporaryName(basename(path))) return;
      // Deleted first, so that the map is ordered by time and its first key is the oldest.
      times.delete(path);
      times.set(path, now);
      cases.set(path.toLowerCase(), path);
      const [oldest] = times.keys();
      if (times.size > keptAtMost && oldest !== undefined) drop(oldest);
    },
    paths: () => [...times.keys()],
    hasCaseOf(path) {
      const other = cases.get(path.toLowerCase());
      return other !== undefined && other !== path && dirname(other) === dirname(path);
    },
    forget(now) {
      for (const [path, time] of times) if (now - time > keptFor) drop(path);
    },
  };
}
