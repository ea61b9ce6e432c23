import { hashRule } from "../model/hashes.ts";
import type { ObjectBody } from "../model/object-body.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { verifyVersion } from "../model/verify-version.ts";

/** Frozen bodies whose hashes were compared: a store returns a latest version that it has in memory again and again. */
const compared = new WeakSet<ObjectBody>();

/**
 * Returns a version that a store read, if its hashes are those of its fields (§4.3). Otherwise throws what `damage` makes of
 * the difference. Hashes of a newer rule than this program's cannot be compared.
 */
export function checkedVersion(
  stored: StoredVersion,
  damage: (difference: string) => Error,
): StoredVersion {
  const { body, hashes } = stored;
  if (compared.has(body) || hashes.hash_rule > hashRule) return stored;
  const problem = verifyVersion(stored);
  if (problem !== undefined) throw damage(problem.text);
  if (Object.isFrozen(body)) compared.add(body);
  return stored;
}
