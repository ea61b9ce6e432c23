import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { Reference, StaticReference } from "../model/references.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { verifyVersion, type VersionProblem } from "../model/verify-version.ts";
import type { ObjectStore, VersionSelector } from "../ports/object-store.ts";

/** The version that a reference or selector means, with the result of its verification. */
export interface ResolvedVersion {
  /** Undefined if the version is missing or cannot be read. */
  readonly stored?: StoredVersion;
  /** Whether its hashes match its fields and, for a static reference, the reference. */
  readonly isVerified: boolean;
  /** Why the version is not verified. */
  readonly problem?: VersionProblem;
}

/**
 * Resolves a reference: a dynamic one to the latest version, a static one to the version of its transaction. The hashes
 * are computed again and compared. A missing or damaged version is returned as a problem. Rejects only with the
 * `StoreError` of a store that cannot be read.
 */
export async function resolveReference(
  store: Pick<ObjectStore, "get">,
  reference: Reference,
): Promise<ResolvedVersion> {
  const { id } = reference;
  if (reference.ref === "dynamic") return await resolveVersion(store, id);
  const found = await resolveVersion(store, id, { txId: reference.tx_id });
  const { stored } = found;
  if (stored === undefined) return found;
  const problem = contradiction(stored, reference) ?? found.problem;
  return problem === undefined ? found : { stored, isVerified: false, problem };
}

/** Reads and verifies a version of an object; default: the latest. */
export async function resolveVersion(
  store: Pick<ObjectStore, "get">,
  id: ObjectId,
  at?: VersionSelector,
): Promise<ResolvedVersion> {
  let stored: StoredVersion | undefined;
  try {
    stored = at === undefined ? await store.get(id) : await store.get(id, at);
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    const text = `${nameOf(id, at)} cannot be read: ${error.message}`;
    return { isVerified: false, problem: { id, ...numberOf(at), type: "unreadable", text } };
  }
  if (stored === undefined) {
    const text = `${nameOf(id, at)} is not in the store`;
    return { isVerified: false, problem: { id, ...numberOf(at), type: "missing", text } };
  }
  const problem = verifyVersion(stored);
  return problem === undefined
    ? { stored, isVerified: true }
    : { stored, isVerified: false, problem };
}

function contradiction(
  stored: StoredVersion,
  reference: StaticReference,
): VersionProblem | undefined {
  const { version, at, hashes } = stored;
  const { id } = reference;
  if (at.tx_id !== reference.tx_id) {
    const text = `object ${id} has no version of transaction ${reference.tx_id}; the latest before it is version ${version}`;
    return { id, type: "missing", text };
  }
  const names = ["content_hash", "metadata_view_hash", "object_hash"] as const;
  const differing = names.find((name) => hashes[name] !== reference[name]);
  if (differing === undefined) return undefined;
  const text = `version ${version} of object ${id} is not the version that the reference names: ${differing} is ${hashes[differing]}, named ${reference[differing]}`;
  return { id, version, type: "other", text };
}

function nameOf(id: ObjectId, at: VersionSelector | undefined): string {
  if (at === undefined) return `the latest version of object ${id}`;
  if ("version" in at) return `version ${at.version} of object ${id}`;
  return `object ${id} as of ${JSON.stringify(Object.values(at)[0])}`;
}

function numberOf(at: VersionSelector | undefined): { readonly version?: number } {
  return at !== undefined && "version" in at ? { version: at.version } : {};
}
