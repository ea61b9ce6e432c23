import { messageOf } from "../errors.ts";
import { hashObject, hashRule, type ObjectHashes } from "./hashes.ts";
import type { ObjectId } from "./object-id.ts";
import type { StoredVersion } from "./stored-version.ts";

/** A problem with a version that an object or a view names. */
export interface VersionProblem {
  readonly id: ObjectId;
  /** Undefined if there is no such version. */
  readonly version?: number;
  /**
   * `missing`: the store has no such version; `unreadable`: the store cannot read it; `changed`: its fields do not match
   * the stored hashes; `other`: its hashes differ from those of the reference; `forgotten`: they differ because the user
   * had it forgotten, as a whole or in part.
   */
  readonly type: "missing" | "unreadable" | "changed" | "other" | "forgotten";
  /** The problem as a sentence that names object and version. */
  readonly text: string;
}

/** Compares the hashes of a version with its fields; undefined if all match. */
export function verifyVersion(stored: StoredVersion): VersionProblem | undefined {
  const { version } = stored;
  const { id } = stored.body;
  const changed = (what: string): VersionProblem => ({
    id,
    version,
    type: "changed",
    text: `version ${version} of object ${id} ${what}`,
  });
  try {
    const { hash_rule: rule } = stored.hashes;
    if (rule > hashRule) {
      const text = `its hash rule is ${rule}, but this program supports only rules up to ${hashRule}; update the program`;
      return changed(`cannot be verified: ${text}`);
    }
    const differing = differingHashes(hashObject(stored.body), stored.hashes);
    if (differing === undefined) return undefined;
    return changed(`was changed or damaged since it was stored: ${differing}`);
  } catch (cause) {
    // Hashing expects well-formed fields, which a damaged version may not have.
    return changed(`no longer contains a valid object (${messageOf(cause)})`);
  }
}

/** Returns the first hash that differs between two sets, in words. */
function differingHashes(computed: ObjectHashes, stored: ObjectHashes): string | undefined {
  for (const [name, hash] of Object.entries(computed)) {
    const other = (stored as Readonly<Record<string, string | number>>)[name];
    if (other !== hash) return `${name} is ${hash}, stored ${other ?? "none"}`;
  }
  return undefined;
}
