import {
  type FollowedLink,
  linkKeys,
  linkWritten,
  nameKey,
  resolveLink,
} from "@self-context-manager/links";
import {
  compareText,
  FileError,
  type FolderEntry,
  type ObjectId,
  passedOverFolders,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { isInside } from "@self-context-manager/tracker";
import { storeNamed } from "../history/file-index.ts";
import type { SessionScope } from "../state/session-scope.ts";

/** The entries of folders that one search looks at. A search of so many takes about a tenth of a second on a local disk. */
const mostEntries = 10_000;

/** Enough requests to keep the file system's threads busy. */
const atOnce = 8;

/** The files that one search makes known. */
const mostFiles = 50;

/**
 * Returns links with the files of the workspace that they mean, where no known object has their name. Names are taken
 * from the disk for it, and no text: such a file is stored as one that was only named, and joins no pool here. A name
 * that was not found is not looked for again in the same turn, unless `again` says so.
 */
export async function withDiskTargets(
  scope: SessionScope,
  links: readonly FollowedLink[],
  again = false,
): Promise<readonly FollowedLink[]> {
  const notFound = notFoundInTurn(scope);
  const open = links.filter(({ target }) => target.state === "unresolved");
  const all = open.flatMap(({ link }) => linkKeys(link));
  const keys = new Set(again ? all : all.filter((key) => !notFound.has(key)));
  if (keys.size === 0) return links;
  const root = await workspaceRoot(scope);
  if (root === undefined) return links;
  const folders = open.flatMap(({ from: { path } }) =>
    path !== undefined && isInside(path, root)
      ? [scope.dependencies.files.resolve("..", path)]
      : [],
  );
  const paths = await filesWithNames(scope, [...new Set([...folders, root])], keys);
  const foundKeys = new Set(paths.map((path) => nameKey(path)));
  for (const key of keys) if (!foundKeys.has(key)) notFound.add(key);
  if (paths.length === 0) return links;
  // A path stands for the id that the file does not have yet.
  const candidates = paths.map((path) => ({ id: path as ObjectId, path, aliases: [] }));
  const found = new Map(
    open.map((followed) => {
      const { from, link } = followed;
      const place = { id: from.id, path: from.path, workspace: root };
      return [followed, resolveLink(link, place, candidates)] as const;
    }),
  );
  const wanted = [...found.values()].flatMap((target) =>
    target.state === "unresolved"
      ? []
      : target.state === "ambiguous"
        ? target.candidates
        : [target.id],
  );
  const stored = await storeNamed(scope, [...new Set<string>(wanted)].slice(0, mostFiles));
  const idOf = (path: string): ObjectId | undefined => stored.get(path)?.body.id;
  return links.map((followed) => {
    const target = found.get(followed);
    if (target === undefined || target.state === "unresolved") return followed;
    const id = idOf(target.id);
    if (id === undefined) return followed;
    if (target.state === "resolved") return { ...followed, target: { ...target, id } };
    const ids = target.candidates.flatMap((path) => idOf(path) ?? []);
    return { ...followed, target: { ...target, id, candidates: ids } };
  });
}

/** Returns the files of the workspace that a link `[[name]]` at its root would mean, if no known object has the name. */
export async function filesNamed(
  scope: SessionScope,
  name: string,
): Promise<readonly StoredMetadata[]> {
  const { store } = scope.dependencies;
  const [followed] = await withDiskTargets(scope, [linkWritten(name)], true);
  const target = followed?.target ?? { state: "unresolved" };
  // A section of a file is no name of it.
  if (target.state === "unresolved" || target.heading !== undefined) return [];
  const ids = target.state === "ambiguous" ? target.candidates : [target.id];
  return (await store.describe(ids)).filter((one) => one !== undefined);
}

function notFoundInTurn({ searched, state }: SessionScope): Set<string> {
  const { turn } = state.chat.now();
  if (searched.turn !== turn) searched.notFound.clear();
  searched.turn = turn;
  return searched.notFound;
}

async function workspaceRoot({ dependencies }: SessionScope): Promise<string | undefined> {
  const { files, workspace } = dependencies;
  try {
    const facts = await files.stat(workspace);
    return facts?.kind === "directory" ? facts.realPath : undefined;
  } catch (error) {
    // Nothing is found in a workspace that cannot be examined.
    if (FileError.is(error)) return undefined;
    throw error;
  }
}

/** Returns the files below folders whose name has one of the keys: breadth first, each once. Links are not followed. */
async function filesWithNames(
  { dependencies: { files } }: SessionScope,
  folders: readonly string[],
  keys: ReadonlySet<string>,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const seen = new Set<string>(folders);
  let remaining = mostEntries;
  let level = folders;
  while (level.length > 0 && remaining > 0) {
    const next: string[] = [];
    for (let from = 0; from < level.length && remaining > 0; from += atOnce) {
      const some = level.slice(from, from + atOnce);
      const lists = await Promise.all(some.map(async (folder) => await files.list(folder)));
      for (const [index, folder] of some.entries()) {
        const entries = lists[index] ?? [];
        remaining -= entries.length;
        for (const { name, kind } of entries.toSorted(byName)) {
          const path = files.resolve(`./${name}`, folder);
          if (kind === "file" && keys.has(nameKey(name))) found.add(path);
          if (kind !== "directory" || passedOverFolders.has(name) || seen.has(path)) continue;
          seen.add(path);
          next.push(path);
        }
      }
    }
    level = next;
  }
  return [...found];
}

function byName(one: FolderEntry, other: FolderEntry): number {
  return compareText(one.name, other.name);
}
