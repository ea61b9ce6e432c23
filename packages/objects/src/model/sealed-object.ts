import { hashFields, hashObject, type ObjectHashes } from "./hashes.ts";
import { isJsonObject, type JsonObject, type JsonValue, toJson } from "./json.ts";
import type { ObjectBody } from "./object-body.ts";
import { isObjectId } from "./object-id.ts";
import { isWellFormed } from "./text-states.ts";

/** An object that is complete: checked, frozen to its depths, and hashed. Only `sealObject` makes one. */
export interface SealedObject {
  readonly body: ObjectBody;
  readonly hashes: ObjectHashes;
  readonly __sealed: true;
}

/**
 * Checks, freezes and hashes an object. The body is frozen in place, and parts that are frozen already are taken as
 * they are, so a new version of a long document costs what changed.
 *
 * Throws `TypeError` for a body that no store could keep: no id, no type, a nickname equal to its id, a hash field of
 * the caller's own, or a value that JSON cannot hold.
 */
export function sealObject(body: ObjectBody): SealedObject {
  check(body);
  freezeBody(body);
  return Object.freeze({ body, hashes: Object.freeze(hashObject(body)), __sealed: true as const });
}

/** Brings an object from outside into a form that can be sealed: values JSON cannot hold are replaced or dropped. */
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
    throw new TypeError(`${name} says neither true nor false in locked`);
  if (!isJsonObject(body.provenance)) throw new TypeError(`${name} has no provenance`);
  if (body.nickname !== undefined && (body.nickname === body.id || !isObjectId(body.nickname))) {
    throw new TypeError(`${name} cannot have the nickname ${JSON.stringify(body.nickname)}`);
  }
  const own = hashFields(body).find((field) => Object.hasOwn(body, field));
  if (own !== undefined) throw new TypeError(`${name} holds ${own}, which only the seal writes`);
}

function freezeBody(body: ObjectBody): void {
  const { content } = body;
  if (content !== null && !isWellFormed(body.id, content)) throw loneSurrogate("/content");
  freeze(body, "", "content");
}

function loneSurrogate(path: string): TypeError {
  return new TypeError(`the text at ${path} has a lone surrogate; see storable()`);
}

/** Checks and freezes a value; the field `checked` is known to hold a text that is good. */
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
    throw new TypeError(`the value at ${path} is a ${typeof value}, which JSON cannot hold`);
  }
  if (value === null || Object.isFrozen(value)) return;
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === "function")
    throw new TypeError(`the value at ${path} writes itself as JSON; see storable()`);
  if (Array.isArray(value)) {
    for (const item of value as readonly (JsonValue | undefined)[]) {
      if (item === undefined) throw new TypeError(`the list at ${path} has a gap`);
      freeze(item, path);
    }
  } else {
    const object = value as JsonObject;
    for (const field of Object.keys(object)) {
      if (!field.isWellFormed())
        throw new TypeError(`a field's name at ${path} has a lone surrogate; see storable()`);
      if (field !== checked) freeze(object[field], `${path}/${field}`);
    }
  }
  // Last, so that no part is taken for checked that holds something bad.
  Object.freeze(value);
}
