import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ObjectId } from "./object-id.ts";
import { opaqueAt, opaqueFields, type OpaqueInside } from "./opaque-fields.ts";

/** The place of a tool call in a chat: turn, step of the turn, call of the step, each counted from 0. */
export type ChatPosition = { readonly turn: number; readonly step: number; readonly call: number };

/** A reference to the latest version of an object. */
export type DynamicReference = {
  readonly ref: "dynamic";
  readonly id: ObjectId;
  readonly field?: string;
  readonly position?: ChatPosition;
};

/** A reference to one version of an object, with the transaction that finds it and the hashes that verify it. */
export type StaticReference = {
  readonly ref: "static";
  readonly id: ObjectId;
  readonly tx_id: number;
  readonly tx_time: string;
  readonly content_hash: string;
  readonly metadata_view_hash: string;
  readonly object_hash: string;
  readonly field?: string;
  readonly position?: ChatPosition;
};

/** A reference from one object to another; `field` limits it to one field of the target. */
export type Reference = DynamicReference | StaticReference;

/** A reference with its place, as a JSON pointer into the object that contains it. */
export type LocatedReference = { readonly path: string; readonly reference: Reference };

/**
 * Whether a JSON value is a reference. A static reference that this program did not write may have a time or hashes
 * instead of a transaction id, as the specification has it (§7.2). `resolveReference` finds its version, too.
 */
export function isReference(value: JsonValue | undefined): value is Reference {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    (value["ref"] === "dynamic" || (value["ref"] === "static" && namesVersion(value)))
  );
}

function namesVersion(value: JsonObject): boolean {
  return (
    typeof value["tx_id"] === "number" ||
    ["tx_time", "content_hash", "object_hash"].some((field) => typeof value[field] === "string")
  );
}

/**
 * Returns every reference in the fields of an object with its path, in document order. The opaque fields of the object's
 * type are not searched; `opaque` names those of a value that is a part of an object.
 */
export function collectReferences(
  body: JsonObject,
  opaque: OpaqueInside = opaqueFields(body),
): LocatedReference[] {
  const found: LocatedReference[] = [];
  walk(body, "", opaque, found);
  return found;
}

function walk(
  value: JsonValue | undefined,
  path: string,
  opaque: OpaqueInside,
  found: LocatedReference[],
): void {
  if (typeof value !== "object" || value === null || opaque === true) return;
  if (Array.isArray(value)) {
    value.forEach((item: JsonValue, index) => {
      if (typeof item === "object") walk(item, `${path}/${index}`, opaque, found);
    });
    return;
  }
  if (isReference(value)) {
    found.push({ path, reference: value });
    return;
  }
  for (const [field, item] of Object.entries(value))
    if (typeof item === "object" && item !== null)
      walk(item, `${path}/${escapePointer(field)}`, opaqueAt(opaque, field), found);
}

/** Returns the name of a field as a part of a JSON pointer (RFC 6901). */
export function escapePointer(field: string): string {
  return field.replaceAll("~", "~0").replaceAll("/", "~1");
}
