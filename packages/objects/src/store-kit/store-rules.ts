import { StoreError } from "../errors.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import { sha256 } from "../model/hashes.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import { bulkFields, type ObjectBody, type ObjectMetadata } from "../model/object-body.ts";
import { foreignFields, isReference } from "../model/references.ts";
import type { StoredVersion, VersionPoint } from "../model/stored-version.ts";
import type { FindQuery, ObjectWrite, Scalar } from "../ports/object-store.ts";

/** Orders texts by code point, which is the order of their UTF-8 bytes: that of ids and paths in every store. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const left = one.charCodeAt(index);
    const right = other.charCodeAt(index);
    if (left === right) continue;
    // Surrogates stand for code points above every other unit, though units follow them.
    const leftIsHigh = left >= 0xd800 && left <= 0xdfff;
    const rightIsHigh = right >= 0xd800 && right <= 0xdfff;
    if (leftIsHigh !== rightIsHigh) return leftIsHigh ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

/** A time as stores compare and answer it: ISO 8601, milliseconds, UTC. Throws `RangeError` for what is no time. */
export function normalTime(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new RangeError(`a time is written in ISO 8601; got ${JSON.stringify(text.slice(0, 80))}`);
  return new Date(time).toISOString();
}

/** Throws `TypeError` where an object stands twice in a commit. */
export function checkWrites(writes: readonly ObjectWrite[]): void {
  const seen = new Set<string>();
  for (const { object, expect } of writes) {
    const id = object.body.id;
    if (seen.has(id)) throw new TypeError(`object ${id} stands twice in one commit`);
    seen.add(id);
    if (expect !== undefined && !(Number.isSafeInteger(expect) && expect >= 0)) {
      throw new RangeError(
        `object ${id} is expected at version ${expect}, which no version can be`,
      );
    }
  }
}

/** Tells apart the writes that a request id stood for. */
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

/** Checks that a request id that was used before comes with the same writes. Throws `REQUEST_CONFLICT` where it does not. */
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

/** A limit as given, checked: `RangeError` for anything but a whole number above 0. */
export function checkLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`a limit is a whole number above 0; got ${limit}`);
  return limit;
}

/** One condition of a query: a field as the names that lead to it, and what it must be. */
export interface FieldCondition {
  readonly field: string;
  readonly path: readonly string[];
  readonly value: Scalar;
}

/** The conditions of a query. Throws `TypeError` for a field that cannot be asked for. */
export function fieldConditions(query: FindQuery): readonly FieldCondition[] {
  return Object.entries(query.where ?? {}).map(([field, value]) => {
    const path = field.split(".");
    if (bulkFields.has(path[0] ?? "") || path.some((name) => foreignFields.has(name))) {
      throw new TypeError(`field ${field} is loaded with the content only and cannot be asked for`);
    }
    if (typeof value === "object" && value !== null) {
      throw new TypeError(
        `field ${field} can be compared with a text, a number, a boolean or null only`,
      );
    }
    return { field, path, value };
  });
}

/** Whether an object's fields are as a condition wants them. */
export function meetsCondition(
  body: ObjectBody | ObjectMetadata,
  condition: FieldCondition,
): boolean {
  let value: JsonValue | undefined = body;
  for (const name of condition.path) {
    value =
      isJsonObject(value) && !isReference(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined;
  }
  return (value ?? null) === condition.value;
}

/** Checks that a version from elsewhere is the next of its object. Throws `HISTORY_CONFLICT` where it is not. */
export function checkFollows(latest: StoredVersion | undefined, next: StoredVersion): void {
  const { id } = next.body;
  const version = latest?.version ?? 0;
  if (next.version !== version + 1) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `object ${id} is at version ${version}; ${next.version} would leave a gap`,
    );
  }
  if (
    latest !== undefined &&
    (next.at.tx_id <= latest.at.tx_id || next.at.tx_time < latest.at.tx_time)
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
    Date.parse(present.at.tx_time) === Date.parse(restored.at.tx_time);
  if (isSame) return;
  throw new StoreError(
    "HISTORY_CONFLICT",
    `object ${restored.body.id} has another version ${restored.version} here`,
  );
}
