import { basename, dirname, join, sep } from "node:path";

/** A folder that has to be watched for the sake of files in it or below it. */
interface KnownFolder {
  readonly path: string;
  /** Names of known files in it. */
  readonly files: Set<string>;
  /** Names of folders in it that are such folders too. */
  readonly folders: Set<string>;
}

/** Known files by the folders that lead to them. */
export interface KnownPaths {
  readonly folders: ReadonlyMap<string, KnownFolder>;
  /** Adds a file; answers the folders that are new, the outermost first. */
  add(path: string): readonly string[];
  /** Removes a file; answers the folders that are needed no more. */
  remove(path: string): readonly string[];
  /** The known files in a folder and below it. */
  below(folder: string): readonly string[];
  /** The folders in a folder and below it, itself included. */
  foldersBelow(folder: string): readonly string[];
}

/**
 * A move of a folder far above shows in that folder's parent only, so all folders from the file's root on are kept;
 * outside the roots the file's own folder and the one above it.
 */
export function knownPaths(roots: readonly string[]): KnownPaths {
  const folders = new Map<string, KnownFolder>();

  function reaches(folder: string, depth: number): boolean {
    const isBelowRoot = roots.some((root) => isBelow(folder, root));
    return isBelowRoot || (depth === 0 && !roots.includes(folder));
  }

  function add(path: string): readonly string[] {
    const made: string[] = [];
    let folder = dirname(path);
    entry(folder, made).files.add(basename(path));
    for (let depth = 0; reaches(folder, depth); depth += 1) {
      const parent = dirname(folder);
      if (parent === folder) break;
      entry(parent, made).folders.add(basename(folder));
      folder = parent;
    }
    return made.toReversed();
  }

  function entry(path: string, made: string[]): KnownFolder {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const folder = { path, files: new Set<string>(), folders: new Set<string>() };
    folders.set(path, folder);
    made.push(path);
    return folder;
  }

  function remove(path: string): readonly string[] {
    const gone: string[] = [];
    let folder = folders.get(dirname(path));
    folder?.files.delete(basename(path));
    while (folder !== undefined && folder.files.size === 0 && folder.folders.size === 0) {
      folders.delete(folder.path);
      gone.push(folder.path);
      const parent = folders.get(dirname(folder.path));
      parent?.folders.delete(basename(folder.path));
      folder = parent;
    }
    return gone;
  }

  function foldersBelow(path: string): readonly string[] {
    const folder = folders.get(path);
    if (folder === undefined) return [];
    return [path, ...[...folder.folders].flatMap((name) => foldersBelow(join(path, name)))];
  }

  return {
    folders,
    add,
    remove,
    foldersBelow,
    below: (path) =>
      foldersBelow(path).flatMap((folder) =>
        [...(folders.get(folder)?.files ?? [])].map((name) => join(folder, name)),
      ),
  };
}

/** Whether a path lies in a folder, at any depth. */
function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
