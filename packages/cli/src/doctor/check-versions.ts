import {
  type CheckedVersion,
  checkedVersions,
  type StorePlace,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import { collectReferences, forgottenIn } from "@self-context-manager/objects";

import { counted } from "../format/amounts.ts";
import type { Progress } from "../format/progress.ts";
import { damaged, type Finding, note, ok } from "./finding.ts";

/** Checks the hashes of every version, the numbers of each object's versions, and the references to versions. */
export async function checkVersions(
  place: StorePlace,
  store: ObjectStore | undefined,
  progress: Progress,
): Promise<readonly Finding[]> {
  const seen = versionsSeen();
  for await (const read of checkedVersions(place, store)) {
    seen.add(read);
    progress.come(undefined, seen.count());
  }
  return seen.findings();
}

/** Collects what the versions of a store say. For each version and each named version about 100 bytes are kept. */
function versionsSeen(): {
  add(read: CheckedVersion): void;
  count(): number;
  findings(): readonly Finding[];
} {
  const problems: string[] = [];
  const gaps: string[] = [];
  const known = new Set<string>();
  const named = new Set<string>();
  /** The objects of which a version was forgotten, as a whole or in part: references keep the hashes from before. */
  const forgotten = new Set<string>();
  let versions = 0;
  let objects = 0;
  let last: CheckedVersion | undefined;

  function addGap({ id, version }: CheckedVersion): void {
    const before = last?.id === id ? last.version : 0;
    if (version > before + 1) {
      const missing = version === before + 2 ? `${before + 1}` : `${before + 1} to ${version - 1}`;
      gaps.push(`object ${id} has no version ${missing}`);
    }
  }

  return {
    add(read) {
      versions += 1;
      if (read.id !== last?.id) objects += 1;
      addGap(read);
      last = read;
      if (read.problem !== undefined) problems.push(read.problem);
      if (read.stored === undefined) return;
      const { body, hashes } = read.stored;
      known.add(`${body.id} ${hashes.object_hash}`);
      if (forgottenIn(body) !== undefined) forgotten.add(body.id);
      for (const { reference } of collectReferences(body)) {
        // Another program may have written a reference without this hash.
        if (reference.ref === "static" && typeof reference.object_hash === "string")
          named.add(`${reference.id} ${reference.object_hash}`);
      }
    },
    count: () => versions,
    findings() {
      const all = `${counted(versions, "version")} of ${counted(objects, "object")}`;
      const lost = [...named].filter(
        (key) => !known.has(key) && !forgotten.has(key.split(" ")[0] ?? ""),
      );
      const targets = [...new Set(lost.map((key) => `object ${key.split(" ")[0] ?? ""}`))];
      return [
        problems.length === 0
          ? ok("versions", `${all}: all hashes match`)
          : damaged("versions", `${problems.length} of ${all} cannot be trusted`, problems),
        gaps.length === 0
          ? ok("history", "no version is missing between others")
          : note("history", "versions are missing between others, as after a repair", gaps),
        lost.length === 0
          ? ok("references", `${counted(named.size, "named version")} found`)
          : note(
              "references",
              `${counted(lost.length, "named version")} not in the store`,
              targets,
            ),
      ];
    },
  };
}
