import { boundedMap } from "@self-context-manager/objects";
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
  const cases = new Map<string, string>();
  const times = boundedMap<string, number>(keptAtMost, forgetCase);

  function forgetCase(path: string): void {
    cases.delete(path.toLowerCase());
  }

  return {
    note(path, now) {
      if (isTemporaryName(basename(path))) return;
      times.set(path, now);
      cases.set(path.toLowerCase(), path);
    },
    paths: () => [...times.keys()],
    hasCaseOf(path) {
      const other = cases.get(path.toLowerCase());
      return other !== undefined && other !== path && dirname(other) === dirname(path);
    },
    forget(now) {
      for (const [path, time] of times) {
        if (now - time <= keptFor) continue;
        times.delete(path);
        forgetCase(path);
      }
    },
  };
}
