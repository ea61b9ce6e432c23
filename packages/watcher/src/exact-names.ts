import type { Clock, Sighting } from "@self-context-manager/objects";

import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";

import { lookAt } from "./look-at.ts";
import type { RecentNames } from "./recent-names.ts";

/**
 * Looks at paths and treats a name with another case as another name, even on a file system that ignores case: there
 * a renamed file is still found by its former name.
 */
export async function lookExactly(
  paths: readonly string[],
  clock: Clock,
  recent: Pick<RecentNames, "hasCaseOf">,
  namesIn: (folder: string) => Promise<readonly string[]> = readdir,
): Promise<readonly Sighting[]> {
  const sightings = await lookAt(paths, clock);
  return await Promise.all(
    sightings.map(async (sighting) => {
      const { path, at } = sighting;
      if (sighting.state !== "file" || !recent.hasCaseOf(path)) return sighting;
      const names = await namesIn(dirname(path)).catch(() => [basename(path)]);
      return names.includes(basename(path)) ? sighting : { state: "absent" as const, path, at };
    }),
  );
}
