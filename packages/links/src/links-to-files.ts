import type { ObjectId, ParsedLink } from "@self-context-manager/objects";

import { linkKeys, objectKeys } from "./name-keys.ts";
import { resolveLink } from "./resolve-link.ts";

/** Finds files that links would mean. */
export interface FileFinder {
  /** The keys of the files, for `DocumentIndex.linking`. */
  readonly keys: readonly string[];
  /** Returns the path of the file that a link in a document at the path `from` means; undefined if there is none. */
  find(link: ParsedLink, from: string | undefined): string | undefined;
}

/**
 * Returns a finder for links to files that are no objects, by the rules for links to objects. The paths are absolute and
 * in the workspace.
 */
export function linksToFiles(paths: readonly string[], workspace: string): FileFinder {
  const byKey = new Map<string, string[]>();
  for (const path of paths) {
    for (const key of objectKeys("", { path, aliases: [] })) {
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [path]);
      else known.push(path);
    }
  }
  return {
    keys: [...byKey.keys()],
    find(link, from) {
      const found = new Set(linkKeys(link).flatMap((key) => byKey.get(key) ?? []));
      // The path stands for the id of the object that the file does not have.
      const candidates = [...found].map((path) => ({ id: path as ObjectId, path, aliases: [] }));
      const place = { id: "" as ObjectId, path: from, workspace };
      const target = resolveLink(link, place, candidates);
      return target.state === "unresolved" || target.id === "" ? undefined : target.id;
    },
  };
}
