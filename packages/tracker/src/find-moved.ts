import {
  defined,
  diskState,
  type FileSighting,
  type FileSource,
  type ObjectId,
  type ObjectStore,
  presenceOf,
  sha256,
  type WantedFile,
  type Watcher,
} from "@self-context-manager/objects";
import { inParallel, tryRead } from "./read-files.ts";
import { isSameFile, lastState, type TrackedFile } from "./tracked-files.ts";

export interface MoveSearch {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly watcher: Watcher;
  /** Whether a file can be read without a `read` that names it. */
  readonly mayRead: (path: string) => boolean;
  /** Objects that are no longer at their stored paths, including the vanished ones. */
  readonly leaving: ReadonlySet<ObjectId>;
  /** Returns the time at which a file was found missing, by the clock of the watcher. */
  readonly goneAt: (file: TrackedFile) => number;
}

/**
 * Milliseconds before the disappearance of a file in which its copy can be part of a move: a move across file systems
 * copies first and deletes later.
 */
const copyWindow = 10_000;

/**
 * Returns the new places of vanished files. A file is found by its node, or else by its content among files that
 * appeared within the copy window. `sightings` are files that are known to be new at their paths.
 */
export async function findMoved(
  search: MoveSearch,
  vanished: readonly TrackedFile[],
  sightings: readonly FileSighting[],
): Promise<ReadonlyMap<TrackedFile, FileSighting>> {
  const moved = new Map<TrackedFile, FileSighting>();
  const isFree = freePaths(search);
  await pickByNode(vanished, sightings, moved, isFree);
  const remaining = vanished.filter((file) => !moved.has(file));
  if (remaining.length === 0) return moved;
  const found = await search.watcher.search({
    files: remaining.map(wantedFile),
    since: Math.min(...remaining.map((file) => file.seen?.at ?? storedAt(file))) - copyWindow,
  });
  await pickByNode(remaining, found, moved, isFree);
  const lost = remaining.filter((file) => !moved.has(file));
  await pickByContent(search, lost, found, moved, isFree);
  return moved;
}

/**
 * Returns the search criteria of a file: its node if it is known, and its size if its content is known. The size 0 is
 * left out, because all empty files are alike.
 */
function wantedFile(file: TrackedFile): WantedFile {
  const { stored } = file;
  const node = lastState(file)?.node;
  const size = presenceOf(stored.body) === "present" ? (diskState(stored.body)?.size ?? 0) : 0;
  return { ...defined({ node }), ...(size > 0 ? { size } : {}) };
}

function storedAt({ stored }: TrackedFile): number {
  return Date.parse(stored.at.tx_time);
}

/**
 * Returns a function that checks whether a path belongs to no object other than the given file, or only to objects that
 * leave it.
 */
function freePaths({
  store,
  leaving,
}: MoveSearch): (file: TrackedFile, path: string) => Promise<boolean> {
  return async (file, path) => {
    const { items } = await store.find({ where: { path } });
    return items.every(({ body }) => body.id === file.id || leaving.has(body.id));
  };
}

type IsFree = ReturnType<typeof freePaths>;

async function pickByNode(
  vanished: readonly TrackedFile[],
  candidates: readonly FileSighting[],
  moved: Map<TrackedFile, FileSighting>,
  isFree: IsFree,
): Promise<void> {
  const byNode = Map.groupBy(candidates, ({ node }) => node);
  for (const file of vanished) {
    const last = lastState(file);
    if (last?.node === undefined) continue;
    for (const candidate of byNode.get(last.node) ?? []) {
      if (candidate.path === file.path || !isSameFile(last, candidate)) continue;
      if (!(await isFree(file, candidate.path))) continue;
      moved.set(file, candidate);
      break;
    }
  }
}

async function pickByContent(
  { files, mayRead, goneAt }: MoveSearch,
  vanished: readonly TrackedFile[],
  found: readonly FileSighting[],
  moved: Map<TrackedFile, FileSighting>,
  isFree: IsFree,
): Promise<void> {
  // If a file vanished before it was tracked, the time of its last version is the last time at which it is known to
  // have existed.
  const sinceOf = (file: TrackedFile): number =>
    (file.seen === undefined ? storedAt(file) : goneAt(file)) - copyWindow;
  const taken = new Set([...moved.values()].map(({ path }) => path));
  const bySize = Map.groupBy(vanished, (file) => wantedFile(file).size);
  const fresh = found.filter(({ path, size, changed }) => {
    if (size === 0 || taken.has(path) || !mayRead(path)) return false;
    return (bySize.get(size) ?? []).some((file) => changed >= sinceOf(file));
  });
  const hashes = new Map<FileSighting, string>();
  await inParallel(fresh, async (candidate) => {
    const outcome = await tryRead(files, candidate.path);
    if ("file" in outcome && outcome.file.text !== null)
      hashes.set(candidate, sha256(outcome.file.text));
  });
  const pairs: Pair[] = [];
  for (const [candidate, hash] of hashes) {
    for (const file of bySize.get(candidate.size) ?? []) {
      if (hash !== file.stored.hashes.content_hash || candidate.changed < sinceOf(file)) continue;
      if (await isFree(file, candidate.path)) pairs.push({ file, candidate });
    }
  }
  for (const [file, candidate] of unambiguous(pairs)) moved.set(file, candidate);
}

interface Pair {
  readonly file: TrackedFile;
  readonly candidate: FileSighting;
}

/** Returns the unambiguous pairs: first by equal file name, then those without another match. */
function unambiguous(pairs: readonly Pair[]): ReadonlyMap<TrackedFile, FileSighting> {
  const chosen = new Map<TrackedFile, FileSighting>();
  const used = new Set<FileSighting>();
  const open = (): readonly Pair[] =>
    pairs.filter(({ file, candidate }) => !chosen.has(file) && !used.has(candidate));
  for (const isFit of [
    ({ file, candidate }: Pair) => baseName(file.path) === baseName(candidate.path),
    () => true,
  ]) {
    const remaining = open().filter(isFit);
    for (const { file, candidate } of remaining) {
      const isAlone = remaining.every(
        (other) => (other.file === file) === (other.candidate === candidate),
      );
      if (!isAlone) continue;
      chosen.set(file, candidate);
      used.add(candidate);
    }
  }
  return chosen;
}

function baseName(path: string): string {
  return path.split(/[/\\]/u).at(-1) ?? "";
}
