import { isJsonObject, type JsonObject, type JsonValue, setField } from "../model/json.ts";
import type { MutableObject } from "../model/json.ts";
import type { ObjectBody } from "../model/object-body.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { sameStart } from "./same-start.ts";

/** Returns a version that shares the equal parts of its body with another version of the object, usually the one before. */
export function shareVersion(
  before: StoredVersion | undefined,
  stored: StoredVersion,
): StoredVersion {
  if (before === undefined) return stored;
  const body = shareParts(before.body, stored.body) as ObjectBody;
  return body === stored.body ? stored : Object.freeze({ ...stored, body });
}

/**
 * Returns a value in which equal parts are those of an earlier value: fields of the same name, and the items at the
 * beginning and at the end of a list. Both values are deeply frozen, and so is the result. Objects with another order of
 * fields are not equal. Parts that are one value already cost nothing.
 */
export function shareParts(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (before === value || typeof value !== "object" || value === null) return value;
  if (typeof before !== "object" || before === null) return value;
  if (Array.isArray(value))
    return Array.isArray(before)
      ? shareItems(before as readonly JsonValue[], value as readonly JsonValue[])
      : value;
  return isJsonObject(value) && isJsonObject(before) ? shareFields(before, value) : value;
}

function shareFields(before: JsonObject, value: JsonObject): JsonValue {
  const fields = Object.keys(value);
  const former = Object.keys(before);
  let isSame = fields.length === former.length;
  let made: MutableObject | undefined;
  for (const [index, field] of fields.entries()) {
    const own = value[field];
    const earlier = Object.hasOwn(before, field) ? before[field] : undefined;
    const shared = own === undefined ? own : shareParts(earlier, own);
    if (shared !== own) {
      made ??= { ...value };
      setField(made, field, shared);
    }
    isSame &&= shared === earlier && field === former[index];
  }
  if (isSame) return before;
  return made === undefined ? value : Object.freeze(made);
}

function shareItems(before: readonly JsonValue[], value: readonly JsonValue[]): JsonValue {
  const { length } = value;
  const shorter = Math.min(length, before.length);
  let made: JsonValue[] | undefined;
  /** Shares an item with that of the other list, and returns whether they are now one value. */
  const share = (index: number, other: number): boolean => {
    const own = value[index] as JsonValue;
    const earlier = before[other];
    if (own === earlier) return true;
    const shared = shareParts(earlier, own);
    if (shared !== own) {
      made ??= [...value];
      made[index] = shared;
    }
    return shared === earlier;
  };
  let start = sameStart(before, value);
  while (start < shorter && share(start, start)) start += 1;
  if (start === length && start === before.length) return before;
  let end = 0;
  while (end < shorter - start && share(length - 1 - end, before.length - 1 - end)) end += 1;
  return made === undefined ? value : Object.freeze(made);
}
