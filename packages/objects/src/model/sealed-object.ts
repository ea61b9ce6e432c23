import { reservedFields } from "./hash-fields.ts";
import { hashObject, type ObjectHashes } from "./hashes.ts";
import { isJsonObject, type JsonObject, type JsonValue, toJson } from "./json.ts";
import {
  divided,
  freezeDivided,
  groupLength,
  groupsKnown,
  groupsMade,
  groupsOf,
  type ListGroups,
} from "./list-groups.ts";
import type { ObjectBody } from "./object-body.ts";
import { isObjectId } from "./object-id.ts";
import { isWellFormed } from "./text-states.ts";

/** A complete object: checked, deeply frozen and hashed. Only `sealObject` makes one. */
export interface SealedObject {
  readonly body: ObjectBody;
  readonly hashes: ObjectHashes;
  readonly __sealed: true;
}

/**
 * Checks, freezes and hashes an object. The body is frozen in place. A frozen part counts as checked and as frozen at every
 * depth, so the cost of a new version of a long object depends on its changes. Parts that other code has frozen are
 * passed through `storable` first.
 *
 * Throws a `TypeError` for a body that no store can keep: no id, no type, a nickname equal to its id, a hash field that
 * the caller set, or a value that JSON cannot represent.
 */
export function sealObject(body: ObjectBody): SealedObject {
  check(body);
  freezeBody(body);
  return Object.freeze({ body, hashes: Object.freeze(hashObject(body)), __sealed: true as const });
}

/** Converts an object from outside so that it can be sealed: values that JSON cannot represent are replaced or removed. */
export function storable(body: ObjectBody): ObjectBody {
  return toJson(body) as ObjectBody;
}

function check(body: ObjectBody): void {
  if (!isObjectId(body.id))
    throw new TypeError(`an object needs an id; got ${JSON.stringify(body.id)}`);
  const name = `object ${body.id}`;
  if (typeof body.type !== "string" || body.type === "") throw new TypeError(`${name} has no type`);
  if (typeof body.content !== "string" && body.content !== null) {
    throw new TypeError(`${name} has no content; it is a text or null`);
  }
  if (typeof body.locked !== "boolean")
    throw new TypeError(`locked of ${name} must be true or false`);
  if (!isJsonObject(body.provenance)) throw new TypeError(`${name} has no provenance`);
  if (body.nickname !== undefined && (body.nickname === body.id || !isObjectId(body.nickname))) {
    throw new TypeError(`${name} cannot have the nickname ${JSON.stringify(body.nickname)}`);
  }
  const own = reservedFields(body).find((field) => Object.hasOwn(body, field));
  if (own !== undefined)
    throw new TypeError(`${name} holds ${own}, a hash field, which only sealObject writes`);
}

function freezeBody(body: ObjectBody): void {
  const { content } = body;
  if (content !== null && !isWellFormed(body.id, content)) throw loneSurrogate("/content");
  freeze(body, "", "content");
}

function loneSurrogate(path: string): TypeError {
  return new TypeError(
    `the text at ${path} has a lone surrogate; pass the object through storable() first`,
  );
}

/** Checks and freezes a value; the text of the field `checked` is already known to be valid. */
function freeze(value: JsonValue | undefined, path: string, checked?: string): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw loneSurrogate(path);
    return;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`the number at ${path} is ${value}`);
    return;
  }
  if (typeof value !== "object") {
    if (typeof value === "boolean" || value === undefined) return;
    throw new TypeError(`the value at ${path} is a ${typeof value}, which JSON cannot represent`);
  }
  if (value === null) return;
  const groups = Array.isArray(value) ? groupsMade<JsonValue | undefined>(value) : undefined;
  if (groups !== undefined) freezeGroups(groups, path);
  if (Object.isFrozen(value)) return;
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === "function")
    throw new TypeError(
      `the value at ${path} has a toJSON method; pass the object through storable() first`,
    );
  if (Array.isArray(value)) {
    freezeList(value as readonly (JsonValue | undefined)[], path);
    return;
  }
  const object = value as JsonObject;
  for (const field of Object.keys(object)) {
    if (!field.isWellFormed())
      throw new TypeError(
        `a field's name at ${path} has a lone surrogate; pass the object through storable() first`,
      );
    if (field !== checked) freeze(object[field], `${path}/${field}`);
  }
  // Frozen last: a frozen part counts as checked, so it must not contain an invalid value.
  Object.freeze(value);
}

/** The groups of lists whose items were checked and frozen. */
const checkedGroups = new WeakSet<readonly unknown[]>();

/** A long list is checked by groups, because nearly all of them are those of the version before. */
function freezeList(list: readonly (JsonValue | undefined)[], path: string): void {
  if (list.length <= groupLength) {
    freezeItems(list, path);
    Object.freeze(list);
    return;
  }
  const groups = groupsKnown(list) ?? divided(list);
  freezeGroups(groups, path);
  freezeDivided(list, groups);
}

function freezeGroups(groups: ListGroups<JsonValue | undefined>, path: string): void {
  // Of a very long list, whole groups of groups are known.
  for (const some of groupsOf(groups)) {
    if (checkedGroups.has(some)) continue;
    for (const group of some) {
      if (checkedGroups.has(group)) continue;
      freezeItems(group, path);
      checkedGroups.add(group);
    }
    checkedGroups.add(some);
  }
}

function freezeItems(items: readonly (JsonValue | undefined)[], path: string): void {
  for (const item of items) {
    if (item === undefined) throw new TypeError(`the list at ${path} has a gap`);
    freeze(item, path);
  }
}
