import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ObjectId } from "./object-id.ts";

/** Where in a chat a tool call stands: user turn, step of the turn, call of the step, all from 0. */
export type ChatPosition = { readonly turn: number; readonly step: number; readonly call: number };

/** Points to whatever version of an object is the latest (specification v0 §7.2). */
export type DynamicReference = {
  readonly ref: "dynamic";
  readonly id: ObjectId;
  readonly field?: string;
  readonly position?: ChatPosition;
};

/** Points to one version of an object, with what is needed to find and to verify it (specification v0 §7.2). */
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

/** A reference from one object to another; `field` narrows it to a part of its target. */
export type Reference = DynamicReference | StaticReference;

/** A reference together with the place where it stands, as a JSON pointer into the object that holds it. */
export type LocatedReference = { readonly path: string; readonly reference: Reference };

/**
 * Fields that hold what providers and tools said. Nothing in them is taken for a reference, whatever it looks like.
 */
export const foreignFields: ReadonlySet<string> = new Set([
  "args",
  "details",
  "blocks",
  "user",
  "assistant",
  "assistant_meta",
  "opaque",
  "entries",
  "memory",
]);

/** Whether a JSON value is a reference. */
export function isReference(value: JsonValue | undefined): value is Reference {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    (value["ref"] === "dynamic" ||
      (value["ref"] === "static" && typeof value["tx_id"] === "number"))
  );
}

/** Every reference in an object's fields with its path, in document order (specification v0 §8.1). */
export function collectReferences(body: JsonObject): LocatedReference[] {
  const found: LocatedReference[] = [];
  walk(body, "", found);
  return found;
}

function walk(value: JsonValue | undefined, path: string, found: LocatedReference[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((item: JsonValue, index) => walk(item, `${path}/${index}`, found));
    return;
  }
  if (isReference(value)) {
    found.push({ path, reference: value });
    return;
  }
  for (const [field, item] of Object.entries(value)) {
    if (!foreignFields.has(field)) walk(item, `${path}/${escapePointer(field)}`, found);
  }
}

/** A field's name as a part of a JSON pointer (RFC 6901). */
export function escapePointer(field: string): string {
  return field.replaceAll("~", "~0").replaceAll("/", "~1");
}
