import { hashObject, type ObjectHashes } from "./hashes.ts";
import type { ObjectId } from "./object-id.ts";
import type { StoredVersion } from "./stored-version.ts";

/** What is wrong with a version that something names. */
export interface VersionProblem {
  readonly id: ObjectId;
  /** Undefined where there is no such version. */
  readonly version?: number;
  /**
   * `missing`: the store has no such version; `unreadable`: it cannot read it; `changed`: its fields do not have the
   * hashes that were stored with them; `other`: its hashes are not those of the reference.
   */
  readonly type: "missing" | "unreadable" | "changed" | "other";
  /** What is wrong, as a sentence that names object and version. */
  readonly text: string;
}

/** Compares a version's hashes with its fields; undefined where all agree. */
export function verifyVersion(stored: StoredVersion): VersionProblem | undefined {
  const { version } = stored;
  const { id } = stored.body;
  const name = `version ${version} of object ${id}`;
  try {
    const differing = differingHashes(hashObject(stored.body), stored.hashes);
    if (differing === undefined) return undefined;
    return {
      id,
      version,
      type: "changed",
      text: `${name} was changed or damaged since it was stored: ${differing}`,
    };
  } catch (cause) {
    // Hashing takes well-formed fields for granted, which a damaged version need not have.
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { id, version, type: "changed", text: `${name} holds no object any more (${reason})` };
  }
}

/** The first hash of which two sets tell differently, in words. */
function differingHashes(
  computed: ObjectHashes,
  told: Readonly<Record<string, string>>,
): string | undefined {
  for (const [name, hash] of Object.entries(computed)) {
    const other = told[name];
    if (other !== hash) return `${name} is ${hash}, stored ${other ?? "none"}`;
  }
  return undefined;
}
