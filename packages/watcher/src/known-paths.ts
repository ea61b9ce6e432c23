import { basename, dirname, join, sep } from "node:path";

/** A folder that is watched because it has known files in it or below it. */
interface KnownFolder {
  readonly path: string;
  /** The names of the known files in it. */
  readonly files: Set<string>;
  /** The names of the known folders in it. */
  readonly folders: Set<string>;
}

/** The known files, and the folders that lead to them. */
export interface KnownPaths {
  readonly folders: ReadonlyMap<string, KnownFolder>;
  /** Adds a file; returns the folders that are new, the outermost first. */
  add(path: string): readonly string[];
  /** Removes a file; returns the folders that are no longer needed. */
  remove(path: string): readonly string[];
  /** The known files in a folder and below it. */
  below(folder: string): readonly string[];
  /** The known folders below a folder, and the folder itself. */
  foldersBelow(folder: string): readonly string[];
}

/**
 * The move of a folder appears only in its parent folder. So for a file below a root, all folders from the root on are
 * kept; for any other file, only its own folder and the one above.
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

/** Whether a path is in a folder, at any depth. */
function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
