import { StoreError } from "../errors.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import { bulkFields, type ObjectBody, type ObjectMetadata } from "../model/object-body.ts";
import { opaqueAt, opaqueFields } from "../model/opaque-fields.ts";
import { isReference } from "../model/references.ts";
import { sha256 } from "../model/sha256.ts";
import type { StoredVersion, VersionPoint } from "../model/stored-version.ts";
import type {
  CommitOptions,
  FindQuery,
  ObjectWrite,
  RestoreOptions,
  Scalar,
} from "../ports/object-store.ts";
import { greatestTxId, isTransactionTime, mayFollow, timeOf } from "./transaction-time.ts";

/** Compares texts by code point, which is the order of their UTF-8 bytes. Every store sorts ids and paths in this way. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const left = one.charCodeAt(index);
    const right = other.charCodeAt(index);
    if (left === right) continue;
    // Surrogates encode code points above all other units, although some units have greater numbers.
    const leftIsHigh = left >= 0xd800 && left <= 0xdfff;
    const rightIsHigh = right >= 0xd800 && right <= 0xdfff;
    if (leftIsHigh !== rightIsHigh) return leftIsHigh ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

/** Returns a time as stores compare and return it: ISO 8601, milliseconds, UTC. Throws `RangeError` for an invalid time. */
export function normalTime(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new RangeError(`a time is written in ISO 8601; got ${JSON.stringify(text.slice(0, 80))}`);
  return new Date(time).toISOString();
}

/** Throws a `TypeError` if a commit contains an object twice, or has options that cannot be used together. */
export function checkWrites(
  writes: readonly ObjectWrite[],
  {
    requestId,
    next,
  }: { readonly [Key in "requestId" | "next"]?: CommitOptions[Key] | undefined } = {},
): void {
  // The writes of `next` are not known before the commit, so those of a repeated request could not be compared.
  if (requestId !== undefined && next !== undefined)
    throw new TypeError("a commit with `next` has no request id; leave one of them out");
  const seen = new Set<string>();
  for (const { object, expect } of writes) {
    const id = object.body.id;
    if (seen.has(id)) throw new TypeError(`object ${id} occurs twice in one commit; write it once`);
    seen.add(id);
    if (expect !== undefined && !(Number.isSafeInteger(expect) && expect >= 0)) {
      throw new RangeError(
        `object ${id} is expected at version ${expect}, which no version can be`,
      );
    }
  }
}

/** Returns a digest that distinguishes the writes of different commits with the same request id. */
export function requestDigest(writes: readonly ObjectWrite[]): string {
  return sha256(
    canonicalJson(
      writes.map(({ object, expect }) => [
        object.body.id,
        object.hashes.object_hash,
        expect ?? null,
      ]),
    ),
  );
}

/** Checks that a repeated request id comes with the same writes. Throws `REQUEST_CONFLICT` if it does not. */
export function checkRepeated(
  requestId: string | undefined,
  earlierDigest: string,
  digest: string | undefined,
): void {
  if (earlierDigest === digest) return;
  throw new StoreError(
    "REQUEST_CONFLICT",
    `request ${requestId} was made before, with other writes`,
  );
}

/** Returns a limit; throws a `RangeError` if it is not a whole number above 0. */
export function checkLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`a limit is a whole number above 0; got ${limit}`);
  return limit;
}

/** One condition of a query: the names that lead to a field, and the value that it must have. */
export interface FieldCondition {
  readonly field: string;
  readonly path: readonly string[];
  readonly value: Scalar;
}

/** Returns the conditions of a query. Throws a `TypeError` for a field that cannot be queried. */
export function fieldConditions(query: FindQuery): readonly FieldCondition[] {
  return Object.entries(query.where ?? {}).map(([field, value]) => {
    const path = field.split(".");
    if (bulkFields.has(path[0] ?? "")) {
      throw new TypeError(`field ${field} is loaded only with the content and cannot be queried`);
    }
    if (typeof value === "object" && value !== null) {
      throw new TypeError(
        `field ${field} can only be compared with a text, a number, a boolean or null`,
      );
    }
    return { field, path, value };
  });
}

/** Whether the fields of an object meet a condition. An opaque field counts as absent. */
export function meetsCondition(
  body: ObjectBody | ObjectMetadata,
  condition: FieldCondition,
): boolean {
  let value: JsonValue | undefined = body;
  let opaque = opaqueFields(body);
  for (const name of condition.path) {
    opaque = opaqueAt(opaque, name);
    value =
      opaque !== true && isJsonObject(value) && !isReference(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined;
  }
  return (value ?? null) === condition.value;
}

/**
/**
 * Checks that a restored version is the next version of its object, and that a store can have its transaction; with
 * `gaps`, versions may be missing before it. Throws `HISTORY_CONFLICT` if it does not follow.
 */
export function checkFollows(
  latest: Pick<StoredVersion, "version" | "at"> | undefined,
  next: StoredVersion,
  { gaps = false }: RestoreOptions = {},
): void {
  const { id } = next.body;
  const version = latest?.version ?? 0;
  if (next.version <= version) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `object ${id} is at version ${version} and lacks version ${next.version}, which cannot be added behind it; ` +
        "restore the whole history into a new store",
    );
  }
  if (next.version !== version + 1 && !gaps) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `object ${id} is at version ${version}; ${next.version} would leave a gap`,
    );
  }
  const time = timeOf(next.at);
  if (!(next.at.tx_id <= greatestTxId) || !isTransactionTime(time)) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `version ${next.version} of object ${id} has transaction ${next.at.tx_id} at ${next.at.tx_time}; ` +
        `a transaction has a number up to ${greatestTxId} and a time of the years 1970 to 2200`,
    );
  }
  if (
    latest !== undefined &&
    (next.at.tx_id <= latest.at.tx_id || !mayFollow(timeOf(latest.at), time))
  ) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `version ${next.version} of object ${id} is older than version ${version}`,
    );
  }
}

/** The facts of a stored version by which it is recognised. */
export interface PresentVersion {
  readonly at: VersionPoint;
  readonly hashes: Pick<StoredVersion["hashes"], "object_hash">;
}

/**
 * Checks that a version to restore is the version that the store has under its number. Times are compared as moments,
 * because a store may keep them as numbers. Throws `HISTORY_CONFLICT` where they differ.
 */
export function checkSameVersion(
  present: PresentVersion | undefined,
  restored: StoredVersion,
): void {
  const isSame =
    present?.hashes.object_hash === restored.hashes.object_hash &&
    present.at.tx_id === restored.at.tx_id &&
    timeOf(present.at) === timeOf(restored.at);
  if (isSame) return;
  throw new StoreError(
    "HISTORY_CONFLICT",
    `object ${restored.body.id} has another version ${restored.version} here`,
  );
}
