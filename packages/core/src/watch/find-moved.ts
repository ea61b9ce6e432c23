import { diskState, presenceOf } from "../objects/file-object.ts";
import { sha256 } from "../objects/hashes.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { FileSource } from "../ports/file-source.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { FileSighting, Watcher } from "../ports/watcher.ts";
import { inParallel, tryRead } from "./read-files.ts";
import { isSameFile, type TrackedFile } from "./tracked-files.ts";

export interface MoveSearch {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly watcher: Watcher;
  /** Whether a file may be read without being asked for. */
  readonly mayRead: (path: string) => boolean;
  /** Objects that are not at their stored paths any more, the vanished ones among them. */
  readonly leaving: ReadonlySet<ObjectId>;
}

/** How long before a file vanished a copy of it may have been made for a move, in milliseconds. */
const copyWindow = 10_000;

/**
 * Where files that vanished are now: found by their node, or else by their content among files that came within the
 * window (specification v0 §12.1). `sightings` are files that are known to have come.
 */
export async function findMoved(
  search: MoveSearch,
  vanished: readonly TrackedFile[],
  sightings: readonly FileSighting[],
): Promise<ReadonlyMap<TrackedFile, FileSighting>> {
  const moved = new Map<TrackedFile, FileSighting>();
  if (vanished.length === 0) return moved;
  const free = freePaths(search);
  await findByNode(search, vanished, sightings, moved, free);
  await findByContent(
    search,
    vanished.filter((file) => !moved.has(file)),
    moved,
    free,
  );
  return moved;
}

/** Whether no other object is at a path and stays there. */
function freePaths({
  store,
  leaving,
}: MoveSearch): (file: TrackedFile, path: string) => Promise<boolean> {
  return async (file, path) => {
    const { items } = await store.find({ where: { path } });
    return items.every(({ body }) => body.id === file.id || leaving.has(body.id));
  };
}

async function findByNode(
  { watcher }: MoveSearch,
  vanished: readonly TrackedFile[],
  sightings: readonly FileSighting[],
  moved: Map<TrackedFile, FileSighting>,
  isFree: (file: TrackedFile, path: string) => Promise<boolean>,
): Promise<void> {
  const seen = vanished.flatMap((file) =>
    file.seen?.state === "file" ? [{ file, last: file.seen }] : [],
  );
  if (seen.length === 0) return;
  const byNode = new Map<string, FileSighting[]>();
  const note = (sighting: FileSighting): void => {
    byNode.set(sighting.node, [...(byNode.get(sighting.node) ?? []), sighting]);
  };
  sightings.forEach(note);
  const rest = seen.filter(
    ({ last }) => !(byNode.get(last.node) ?? []).some((one) => isSameFile(last, one)),
  );
  if (rest.length > 0) {
    const found = await watcher.search({
      nodes: rest.map(({ last }) => last.node),
      sizes: [],
      since: Math.min(...rest.map(({ last }) => last.at)),
    });
    found.forEach(note);
  }
  for (const { file, last } of seen) {
    for (const candidate of byNode.get(last.node) ?? []) {
      if (candidate.path === file.path || !isSameFile(last, candidate)) continue;
      if (!(await isFree(file, candidate.path))) continue;
      moved.set(file, candidate);
      break;
    }
  }
}

async function findByContent(
  { watcher, files, mayRead }: MoveSearch,
  vanished: readonly TrackedFile[],
  moved: Map<TrackedFile, FileSighting>,
  isFree: (file: TrackedFile, path: string) => Promise<boolean>,
): Promise<void> {
  const wanted = vanished.flatMap((file) => {
    const { body } = file.stored;
    const size = diskState(body)?.size ?? 0;
    // An empty file is like any other, and of what was not read no content is known.
    return presenceOf(body) === "present" && size > 0 ? [{ file, size, since: sinceOf(file) }] : [];
  });
  if (wanted.length === 0) return;
  const taken = new Set([...moved.values()].map(({ path }) => path));
  const found = await watcher.search({
    nodes: [],
    sizes: [...new Set(wanted.map(({ size }) => size))],
    since: Math.min(...wanted.map(({ since }) => since)),
  });
  const hashes = new Map<FileSighting, string>();
  const fresh = found.filter(
    ({ path, size, changed }) =>
      !taken.has(path) &&
      mayRead(path) &&
      wanted.some((one) => one.size === size && changed >= one.since),
  );
  await inParallel(fresh, async (candidate) => {
    const outcome = await tryRead(files, candidate.path);
    if ("file" in outcome && outcome.file.text !== null)
      hashes.set(candidate, sha256(outcome.file.text));
  });
  const pairs: { readonly file: TrackedFile; readonly candidate: FileSighting }[] = [];
  for (const { file, since } of wanted) {
    for (const [candidate, hash] of hashes) {
      if (hash !== file.stored.hashes.content_hash || candidate.changed < since) continue;
      if (await isFree(file, candidate.path)) pairs.push({ file, candidate });
    }
  }
  for (const [file, candidate] of unambiguous(pairs)) moved.set(file, candidate);
}

function sinceOf(file: TrackedFile): number {
  if (file.goneAt !== undefined && file.presentAt !== undefined) return file.goneAt - copyWindow;
  return Date.parse(file.stored.at.tx_time) - copyWindow;
}

/** Pairs that can be told apart: by the name that was kept, or because nothing else fits. */
function unambiguous(
  pairs: readonly { readonly file: TrackedFile; readonly candidate: FileSighting }[],
): ReadonlyMap<TrackedFile, FileSighting> {
  const chosen = new Map<TrackedFile, FileSighting>();
  const used = new Set<FileSighting>();
  const open = (): typeof pairs =>
    pairs.filter(({ file, candidate }) => !chosen.has(file) && !used.has(candidate));
  for (const isFit of [
    ({ file, candidate }: (typeof pairs)[number]) =>
      baseName(file.path) === baseName(candidate.path),
    () => true,
  ]) {
    const left = open().filter(isFit);
    for (const { file, candidate } of left) {
      const isAlone = left.every(
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
