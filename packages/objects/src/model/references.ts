import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ObjectId } from "./object-id.ts";

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
 * Foreign fields: they contain data of providers and tools. Nothing in them is treated as a reference.
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

/** Returns every reference in the fields of an object with its path, in document order. */
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

/** Returns the name of a field as a part of a JSON pointer (RFC 6901). */
export function escapePointer(field: string): string {
  return field.replaceAll("~", "~0").replaceAll("/", "~1");
}
