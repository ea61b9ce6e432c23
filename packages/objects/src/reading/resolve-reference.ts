import { StoreError } from "../errors.ts";
import type { ObjectHashes } from "../model/hashes.ts";
import { forgottenIn, forgottenText } from "../model/forgotten-note.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import type { ObjectBody } from "../model/object-body.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { Reference, StaticReference } from "../model/references.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { verifyVersion, type VersionProblem } from "../model/verify-version.ts";
import type { ObjectStore, VersionSelector } from "../ports/object-store.ts";

/**
 * A reference to resolve. A static one is found by its transaction, else by its time, else by its content hash, as the
 * specification has references without a transaction id (§7.2). `id` can be the id or the nickname of an object.
 */
export interface NamedReference extends Partial<Omit<StaticReference, "ref" | "id">> {
  readonly ref: Reference["ref"];
  readonly id: string;
}

/** The version that a reference or selector means, with the result of its verification. */
export interface ResolvedVersion {
  /** Undefined if the version is missing or cannot be read. */
  readonly stored?: StoredVersion;
  /** The value of the reference's field; undefined without a field, or if the version does not have it. */
  readonly value?: JsonValue;
  /** Whether its hashes match its fields and, for a static reference, the reference. */
  readonly isVerified: boolean;
  /** Why the version is not verified. */
  readonly problem?: VersionProblem;
}

/**
 * The parts of a store that resolve references. Without `lookup`, a nickname is not found. Without `history`, of versions
 * with the same content only the newest is found by its hashes.
 */
type ReadStore = Pick<ObjectStore, "get"> & Partial<Pick<ObjectStore, "lookup" | "history">>;

/**
 * Resolves a reference: a dynamic one to the latest version, a static one to the version that it names. The hashes are
 * computed again and compared, and so is the time of the transaction. A version that is missing or damaged, or that does
 * not have the reference's field, is returned as a problem. Rejects only with the `StoreError` of a store that cannot be
 * read.
 */
export async function resolveReference(
  store: ReadStore,
  reference: NamedReference,
): Promise<ResolvedVersion> {
  const found = await findNamed(store, reference);
  const { field } = reference;
  if (field === undefined || found.stored === undefined) return found;
  const { body, version } = found.stored;
  const value = valueAt(body, field);
  if (value !== undefined) return { ...found, value };
  const text = `version ${version} of object ${body.id} has no field ${field}`;
  return { ...found, isVerified: false, problem: { id: body.id, version, type: "missing", text } };
}

/** Finds the object by its id, or else by its nickname. */
async function findNamed(store: ReadStore, reference: NamedReference): Promise<ResolvedVersion> {
  const { id } = reference;
  const found = await findVersion(store, { ...reference, id: id as ObjectId });
  if (found.stored !== undefined || found.problem?.type !== "missing") return found;
  const named = await store.lookup?.(id);
  return named === undefined
    ? found
    : await findVersion(store, { ...reference, id: named.body.id });
}

type ReferenceById = NamedReference & { readonly id: ObjectId };

async function findVersion(store: ReadStore, reference: ReferenceById): Promise<ResolvedVersion> {
  const { ref, id, tx_id: txId, tx_time: txTime, content_hash: contentHash } = reference;
  if (ref === "dynamic") return await resolveVersion(store, id);
  if (txId !== undefined) return await checked(store, reference, { txId });
  const byHash = async (): Promise<ResolvedVersion | undefined> => {
    if (contentHash === undefined) return undefined;
    const versions = (await store.history?.(id)) ?? [];
    const same = versions.filter(({ hashes }) => differingHash(hashes, reference) === undefined);
    const found = same.findLast(({ at }) => at.tx_time === txTime) ?? same.at(-1);
    const at = found === undefined ? { contentHash } : { version: found.version };
    return await checked(store, reference, at);
  };
  if (txTime === undefined) return (await byHash()) ?? nameless(id);
  const byTime = await checked(store, reference, { txTime });
  if (byTime.isVerified) return byTime;
  // Several transactions can have one time.
  const other = await byHash();
  return other?.isVerified === true ? other : byTime;
}

function nameless(id: ObjectId): ResolvedVersion {
  const text = `the static reference to object ${id} names no version: give a transaction, a time or a content hash`;
  return { isVerified: false, problem: { id, type: "missing", text } };
}

async function checked(
  store: ReadStore,
  reference: ReferenceById,
  at: VersionSelector,
): Promise<ResolvedVersion> {
  const found = await resolveVersion(store, reference.id, at);
  const { stored } = found;
  if (stored === undefined) return found;
  const problem = contradiction(stored, reference) ?? found.problem;
  return problem === undefined ? found : { stored, isVerified: false, problem };
}

/** Returns the value at a JSON pointer (RFC 6901), or of a field whose inner names are joined with dots. */
function valueAt(body: ObjectBody, field: string): JsonValue | undefined {
  const names = field.startsWith("/")
    ? field
        .slice(1)
        .split("/")
        .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    : field.split(".");
  let value: JsonValue | undefined = body;
  for (const name of names) {
    if (Array.isArray(value)) value = /^\d+$/u.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
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
  reference: ReferenceById,
): VersionProblem | undefined {
  const { version, at, hashes } = stored;
  const { id, tx_id: txId, tx_time: txTime } = reference;
  if (txId !== undefined && at.tx_id !== txId) {
    const text = `object ${id} has no version of transaction ${txId}; the latest before it is version ${version}`;
    return { id, type: "missing", text };
  }
  const other = (what: string): VersionProblem => {
    const text = `version ${version} of object ${id} is not the version that the reference names: ${what}`;
    return { id, version, type: "other", text };
  };
  const differing = differingHash(hashes, reference);
  const forgotten = differing === undefined ? undefined : forgottenIn(stored.body);
  if (forgotten !== undefined) {
    const text = `version ${version} of object ${id} ${forgottenText(forgotten)}`;
    return { id, version, type: "forgotten", text };
  }
  if (differing !== undefined)
    return other(`${differing} is ${hashes[differing]}, named ${reference[differing]}`);
  // Without a transaction, the time selects a version and need not be that of its transaction.
  return txId !== undefined && txTime !== undefined && at.tx_time !== txTime
    ? other(`its transaction was at ${at.tx_time}, named ${txTime}`)
    : undefined;
}

/** Returns the name of the first hash that a reference has and that is another. */
function differingHash(
  hashes: ObjectHashes,
  reference: ReferenceById,
): "content_hash" | "metadata_view_hash" | "object_hash" | undefined {
  const names = ["content_hash", "metadata_view_hash", "object_hash"] as const;
  return names.find((name) => reference[name] !== undefined && hashes[name] !== reference[name]);
}

function nameOf(id: ObjectId, at: VersionSelector | undefined): string {
  if (at === undefined) return `the latest version of object ${id}`;
  if ("version" in at) return `version ${at.version} of object ${id}`;
  return `object ${id} as of ${JSON.stringify(Object.values(at)[0])}`;
}

function numberOf(at: VersionSelector | undefined): { readonly version?: number } {
  return at !== undefined && "version" in at ? { version: at.version } : {};
}
