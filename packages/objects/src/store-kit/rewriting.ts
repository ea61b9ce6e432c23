import { StoreError } from "../errors.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ForgottenText, RewriteRequest } from "../ports/store-privacy.ts";

/** Throws `VERSION_CONFLICT` for a commit of what was read before the last rewrite. */
export function checkGeneration(wanted: number | undefined, generation: number): void {
  if (wanted === undefined || wanted === generation) return;
  throw new StoreError(
    "VERSION_CONFLICT",
    `the store is at generation ${generation}, not ${wanted}: objects were rewritten or removed; read them again`,
  );
}

/**
 * Returns the version that a rewrite makes of a stored one: the same version if it stays. Throws `TypeError` if the new
 * object has another id.
 */
export function rewrittenVersion(
  stored: StoredVersion,
  change: RewriteRequest["change"],
): StoredVersion {
  const object = change(stored);
  if (object === undefined || object.hashes.object_hash === stored.hashes.object_hash)
    return stored;
  const { id } = stored.body;
  if (object.body.id !== id)
    throw new TypeError(
      `a rewrite keeps ids, and version ${stored.version} of object ${id} got ${object.body.id}`,
    );
  const { version, at } = stored;
  return Object.freeze({ body: object.body, hashes: object.hashes, version, at });
}

/** Returns the forgotten texts with further ones. A text that is already known stays as it was. */
export function addForgotten(
  known: readonly ForgottenText[],
  added: readonly ForgottenText[] = [],
): readonly ForgottenText[] {
  const all = new Map(known.map((text) => [nameOf(text), text]));
  for (const text of added) if (!all.has(nameOf(text))) all.set(nameOf(text), text);
  return [...all.values()];
}

function nameOf({ kind, length, hash }: ForgottenText): string {
  return `${kind} ${length} ${hash}`;
}
