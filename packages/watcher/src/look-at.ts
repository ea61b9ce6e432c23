import type { Clock, Sighting } from "@self-context-manager/objects";

import { type BigIntStats, lstat } from "node:fs";

import { absenceCodes } from "./file-errors.ts";
import { identityOf, milliseconds } from "./file-times.ts";

/** More requests would only wait for the few threads that Node uses for the file system. */
const atOnce = 64;

/** Looks at paths in the given order, without following links. It never rejects: an error becomes a sighting. */
export async function lookAt(paths: readonly string[], clock: Clock): Promise<readonly Sighting[]> {
  const sightings: Sighting[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < paths.length) {
      const index = next;
      next += 1;
      sightings[index] = await sightingOf(paths[index] ?? "", clock);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, paths.length) }, worker));
  return sightings;
}

// The callback form costs half as much as the promise, which matters for the thousands of files of a session.
function sightingOf(path: string, clock: Clock): Promise<Sighting> {
  return new Promise((resolve) => {
    const at = clock.now();
    try {
      lstat(path, { bigint: true }, (error, stats) => {
        resolve(error === null ? fromStats(path, stats, at) : fromError(path, error, at));
      });
    } catch {
      // `lstat` throws at once for a name that no file can have.
      resolve({ state: "absent", path, at });
    }
  });
}

function fromStats(path: string, stats: BigIntStats, at: number): Sighting {
  if (!stats.isFile()) return { state: "other", path, at };
  return {
    state: "file",
    path,
    at,
    ...identityOf(stats),
    size: Number(stats.size),
    modified: milliseconds(stats.mtimeNs),
    changed: milliseconds(stats.ctimeNs),
  };
}

function fromError(path: string, error: NodeJS.ErrnoException, at: number): Sighting {
  return { state: absenceCodes.has(error.code ?? "") ? "absent" : "unreadable", path, at };
}

/** Whether two sightings of a path are equal. */
export function isSameSighting(one: Sighting | undefined, other: Sighting): boolean {
  if (one === undefined || one.state !== other.state) return false;
  if (one.state !== "file" || other.state !== "file") return true;
  return (
    one.node === other.node &&
    one.size === other.size &&
    one.modified === other.modified &&
    one.changed === other.changed
  );
}
