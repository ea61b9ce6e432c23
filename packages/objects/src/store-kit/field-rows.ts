import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { ObjectMetadata } from "../model/object-body.ts";
import { opaqueAt, opaqueFields, type OpaqueInside } from "../model/opaque-fields.ts";
import { isReference } from "../model/references.ts";
import { sha256 } from "../model/sha256.ts";
import type { Scalar } from "../ports/object-store.ts";

/** The queryable fields of an object by name, with each value in its indexed form. */
export type FieldRows = ReadonlyMap<string, string>;

/** Longer values are indexed and compared by their hash. */
const longestValue = 200;

/** Returns the scalar fields of an object, those of inner objects under dotted names. Null and absent fields are omitted. */
export function fieldRows(body: ObjectMetadata): FieldRows {
  const rows = new Map<string, string>();
  collect(body, "", opaqueFields(body), rows);
  return rows;
}

/** Returns the indexed form of a value. */
export function indexedValue(value: Scalar): string {
  const text = JSON.stringify(value);
  return text.length > longestValue ? `#${sha256(text)}` : text;
}

function collect(
  object: JsonObject,
  prefix: string,
  opaque: OpaqueInside,
  rows: Map<string, string>,
): void {
  for (const [field, value] of Object.entries(object)) {
    const within = opaqueAt(opaque, field);
    // A field name that contains a dot cannot be queried, because the query would address an inner field.
    if (value === undefined || value === null || within === true || field.includes(".")) continue;
    const name = prefix + field;
    if (typeof value !== "object") rows.set(name, indexedValue(value));
    else if (isJsonObject(value) && !isReference(value)) collect(value, `${name}.`, within, rows);
  }
}
