import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { verifyVersion } from "../model/verify-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { compareText } from "../store-kit/store-rules.ts";
import { exportHeader } from "./export-line.ts";
import { lineWriter, lostLine } from "./line-writer.ts";
import { listVersions, type VersionList } from "./list-versions.ts";
import { type ReadVersion, readInOrder, type VersionKey } from "./read-in-order.ts";

export interface ExportOptions {
  /** Only the versions of later transactions are written. Default: 0, which means all. */
  readonly since?: number;
  readonly progress?: (done: number, all: number) => void;
  /**
   * Is called for each version that is missing, cannot be read or does not match its hashes, with a sentence about it and
   * with its name, if the store still knows it. A version with a name has a line that says it is lost. Without `onLost`,
   * the export rejects with `STORE_CORRUPT` for a version that is there and cannot be written.
   */
  readonly onLost?: (problem: string, lost?: VersionKey) => void;
}

/** The number of versions that are read at the same time, to save round trips over a network. */
const readAtOnce = 16;

/** Objects with fewer versions are read version by version. */
const longHistory = 4;

/**
 * Writes a store as JSON Lines: a header, then one version per line, ordered by transaction, object and version. Every
 * yielded text includes its line end. A version is its change against the line of an earlier one where that is shorter.
 *
 * The list of versions is kept in memory, about 50 bytes for each, and the last versions of some objects. Versions that are
 * committed during the export are not included. A version that the store has lost has a line that says so, before the next
 * line of its object, or at the end.
 */
export async function* exportObjects(
  store: Pick<ObjectStore, "changesSince" | "get" | "versions">,
  { since = 0, progress, onLost }: ExportOptions = {},
): AsyncIterable<string> {
  const { keys, missing, unlisted } = await listVersions(store, since, onLost !== undefined);
  const lost = new Map<ObjectId, readonly number[]>();
  let gaps = 0;
  for (const [id, numbers] of missing) {
    lost.set(id, numbers);
    gaps += numbers.length;
    for (const version of numbers)
      onLost?.(`version ${version} of object ${id} is missing or cannot be read`, { id, version });
  }
  // The others were the last ones of their objects.
  for (let count = gaps; count < unlisted; count += 1)
    onLost?.("a damaged version cannot be listed");
  yield `${exportHeader({ versions: keys.length + gaps, since })}\n`;
  const left = countByObject(keys);
  const long = new Set([...left].flatMap(([id, count]) => (count >= longHistory ? [id] : [])));
  const read = readInOrder(store, (id) => long.has(id));
  const writer = lineWriter();
  /** The last versions of the objects that have further ones: most objects of a store have one version. */
  const latest = new Map<ObjectId, Place>();
  for (let start = 0; start < keys.length; start += readAtOnce) {
    const part = keys.slice(start, start + readAtOnce);
    for (const [index, found] of (await read(part)).entries()) {
      const key = part[index];
      if (key === undefined) continue;
      const { id } = key;
      const isLast = isLastOf(left, id);
      const problem = problemOf(key, found) ?? orderProblem(latest.get(id), found);
      if (problem !== undefined) {
        if (onLost === undefined) throw new StoreError("STORE_CORRUPT", problem);
        onLost(problem, key);
        lost.set(id, [...(lost.get(id) ?? []), key.version]);
      } else if (found.type === "version") {
        yield* takeLost(lost, id, key.version);
        if (!isLast) latest.set(id, { version: key.version, at: found.stored.at });
        yield `${writer.line(found.stored)}\n`;
      }
      if (isLast) latest.delete(id);
    }
    progress?.(start + part.length, keys.length);
  }
  for (const id of [...lost.keys()].sort(compareText)) yield* takeLost(lost, id, Infinity);
}

/** Returns the lines of the lost versions of an object before a version, and removes these versions from the others. */
function takeLost(
  lost: Map<ObjectId, readonly number[]>,
  id: ObjectId,
  before: number,
): readonly string[] {
  const numbers = lost.get(id) ?? [];
  const left = numbers.filter((version) => version > before);
  if (left.length === 0) lost.delete(id);
  else lost.set(id, left);
  return numbers
    .filter((version) => version < before)
    .sort((one, other) => one - other)
    .map((version) => `${lostLine({ id, version })}\n`);
}

/** Returns why a version cannot be written, as a sentence that names it. */
function problemOf({ id, version }: VersionKey, found: ReadVersion): string | undefined {
  const name = `version ${version} of object ${id}`;
  if (found.type === "missing") return `${name} is missing or cannot be read`;
  if (found.type === "unreadable") return `${name} cannot be read: ${found.error.message}`;
  const { stored } = found;
  if (stored.version !== version || stored.body.id !== id)
    return `${name} was read as version ${stored.version} of object ${stored.body.id}`;
  return verifyVersion(stored)?.text;
}

/** The number and the transaction of a version. No hash covers them. */
type Place = Pick<StoredVersion, "version" | "at">;

/** Returns why a version cannot follow the one before it in the file. No import would accept it. */
function orderProblem(before: Place | undefined, found: ReadVersion): string | undefined {
  if (before === undefined || found.type !== "version") return undefined;
  const { version, at, body } = found.stored;
  const isLater =
    version > before.version && at.tx_id > before.at.tx_id && at.tx_time >= before.at.tx_time;
  return isLater
    ? undefined
    : `version ${version} of object ${body.id} does not follow version ${before.version} by its number, transaction and time`;
}

/** Counts a version of an object, and returns whether no other follows. */
function isLastOf(left: Map<ObjectId, number>, id: ObjectId): boolean {
  const others = (left.get(id) ?? 0) - 1;
  if (others > 0) left.set(id, others);
  else left.delete(id);
  return others <= 0;
}

function countByObject(keys: VersionList["keys"]): Map<ObjectId, number> {
  const counts = new Map<ObjectId, number>();
  for (const { id } of keys) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
