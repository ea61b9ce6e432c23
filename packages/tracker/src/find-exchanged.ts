import {
  diskState,
  type FileSighting,
  type FileSource,
  presenceOf,
  sha256,
} from "@self-context-manager/objects";
import { inParallel, tryRead } from "./read-files.ts";
import { areComparable, type TrackedFile } from "./tracked-files.ts";

/** A tracked file with a sighting of its path. */
export interface Seen {
  readonly file: TrackedFile;
  readonly sighting: FileSighting;
}

/**
 * Returns the files that are at the path of another known file, by their content. This is only for files without a
 * sighting whose node says nothing, because the store or the file system has none or the device is another one. `differing` are
 * files whose path has something else than their stored version; `vanished` are files whose path has no file.
 *
 * A file counts as moved if exactly one path has its content, and if its own path has the content of another moved file
 * or no file. So a copy that replaced a file, whose original has changed since, is a change of both.
 */
export async function findExchanged(
  files: FileSource,
  differing: readonly Seen[],
  vanished: readonly TrackedFile[],
  mayRead: (path: string) => boolean,
): Promise<ReadonlyMap<TrackedFile, FileSighting>> {
  const byPath = differing.filter(
    ({ file, sighting }) =>
      file.seen === undefined && hasText(file) && isUncertain(file, sighting) && sighting.size > 0,
  );
  const wanted = [...byPath.map(({ file }) => file), ...vanished].filter(
    (file) => file.seen === undefined && hasText(file),
  );
  const sizes = new Map<number, TrackedFile[]>();
  for (const file of wanted) {
    const size = diskState(file.stored.body)?.size ?? 0;
    const others = sizes.get(size);
    if (others === undefined) sizes.set(size, [file]);
    else others.push(file);
  }
  const holders: { readonly of: TrackedFile; readonly at: Seen }[] = [];
  await inParallel(byPath, async (at) => {
    const { sighting } = at;
    const alike = (sizes.get(sighting.size) ?? []).filter(
      (file) => file !== at.file && isUncertain(file, sighting),
    );
    if (alike.length === 0 || !mayRead(sighting.path)) return;
    const outcome = await tryRead(files, sighting.path);
    if (!("file" in outcome) || outcome.file.text === null) return;
    const hash = sha256(outcome.file.text);
    if (hash === at.file.stored.hashes.content_hash) return;
    for (const of of alike) if (of.stored.hashes.content_hash === hash) holders.push({ of, at });
  });
  const isAlone = ({ of, at }: (typeof holders)[number]): boolean =>
    holders.every((other) => (other.of === of) === (other.at === at));
  let moves = holders.filter(isAlone);
  const gone = new Set(vanished);
  // A chain of moves that begins with a file whose path has an unknown content falls away from its beginning.
  for (;;) {
    const left = new Set(moves.map(({ at }) => at.file));
    const kept = moves.filter(({ of }) => gone.has(of) || left.has(of));
    if (kept.length === moves.length) break;
    moves = kept;
  }
  return new Map(moves.map(({ of, at }) => [of, at.sighting]));
}

/** Whether the nodes do not show if a sighting is of a file. */
export function isUncertain({ stored }: TrackedFile, sighting: FileSighting): boolean {
  const disk = diskState(stored.body);
  return disk === undefined || !areComparable(disk, sighting);
}

function hasText({ stored }: TrackedFile): boolean {
  return presenceOf(stored.body) === "present";
}
