import type { Sighting } from "@self-context-manager/objects";

import { isSameSighting } from "./look-at.ts";

/** The waiting times of a watcher, in milliseconds. */
export interface WatchTiming {
  /** Time without a further event before a path is looked at, because a save is several events. */
  readonly quiet: number;
  /** Time before an emptied file is reported, because its writer is usually between truncating and writing. */
  readonly emptied: number;
  /** The longest time after the first event, for a file that is written without a pause. */
  readonly most: number;
  /**
   * Time before an absence is reported: editors rename a file away and write another, and a move by copy has two steps.
   */
  readonly absence: number;
  /** Time between looks at files without a system watch. */
  readonly poll: number;
  /** Time between looks at all files: the system can lose events, and network file systems never send them. */
  readonly sweep: number;
}

export const usualTiming: WatchTiming = {
  quiet: 25,
  emptied: 150,
  most: 500,
  absence: 300,
  poll: 1_000,
  sweep: 60_000,
};

interface Unsettled {
  readonly first: number;
  due: number;
  seen: Sighting | undefined;
  absentFrom: number | undefined;
}

/** The paths with recent events, until their state has settled. Times are milliseconds of any clock. */
export interface Settling {
  readonly size: number;
  /** Notes an event of a path; `seen` is the sighting, if the path was looked at. */
  touch(path: string, now: number, seen?: Sighting): void;
  drop(path: string): void;
  /** Removes and returns the paths that are due. */
  takeDue(now: number): readonly string[];
  /** The time at which the next path is due. */
  nextDue(): number | undefined;
  /** Whether a due path can be reported; if not, it is due again later. `reported` is its last reported sighting. */
  settles(path: string, sighting: Sighting, reported: Sighting | undefined, now: number): boolean;
}

export function settling(timing: WatchTiming): Settling {
  const waiting = new Map<string, Unsettled>();
  /** Paths that `takeDue` returned and `settles` has not judged yet. */
  const taken = new Map<string, Unsettled>();

  function wait(path: string, entry: Unsettled, until: number): false {
    // A later event has put the path back already; then it is due no later than that event requires.
    const newer = waiting.get(path);
    const due = newer === undefined ? until : Math.min(newer.due, until);
    waiting.set(path, { ...entry, due });
    return false;
  }

  return {
    get size() {
      return waiting.size + taken.size;
    },
    touch(path, now, seen) {
      const known = waiting.get(path) ?? taken.get(path);
      const first = known?.first ?? now;
      waiting.set(path, {
        first,
        due: Math.max(now, Math.min(now + timing.quiet, first + timing.most)),
        seen: seen ?? known?.seen,
        absentFrom: known?.absentFrom,
      });
    },
    drop(path) {
      waiting.delete(path);
      taken.delete(path);
    },
    takeDue(now) {
      const due: string[] = [];
      for (const [path, entry] of waiting) {
        if (entry.due > now) continue;
        waiting.delete(path);
        taken.set(path, entry);
        due.push(path);
      }
      return due;
    },
    nextDue() {
      let next: number | undefined;
      for (const { due } of waiting.values()) next = Math.min(next ?? due, due);
      return next;
    },
    settles(path, sighting, reported, now) {
      const entry = taken.get(path);
      taken.delete(path);
      if (entry === undefined) return false;
      if (sighting.state === "absent") {
        const absentFrom = entry.absentFrom ?? now;
        if (reported?.state === "absent" || now - absentFrom >= timing.absence) return true;
        return wait(path, { ...entry, seen: sighting, absentFrom }, absentFrom + timing.absence);
      }
      const present = { ...entry, seen: sighting, absentFrom: undefined };
      const isLate = now - entry.first >= timing.most;
      if (isLate) return true;
      if (entry.seen !== undefined && !isSameSighting(entry.seen, sighting)) {
        return wait(path, present, now + timing.quiet);
      }
      const isEmptied =
        sighting.state === "file" &&
        sighting.size === 0 &&
        reported?.state === "file" &&
        reported.size > 0;
      if (isEmptied && now - entry.first < timing.emptied) {
        return wait(path, present, entry.first + timing.emptied);
      }
      return true;
    },
  };
}
