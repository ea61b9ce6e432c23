import { sha256 } from "../model/hashes.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { ObjectMetadata } from "../model/object-body.ts";
import { foreignFields, isReference } from "../model/references.ts";
import type { Scalar } from "../ports/object-store.ts";

/** The queryable fields of an object by name, with each value in its indexed form. */
export type FieldRows = ReadonlyMap<string, string>;

/** Longer values are indexed and compared by their hash. */
const longestValue = 200;

/** Returns the scalar fields of an object, those of inner objects under dotted names. Null and absent fields are omitted. */
export function fieldRows(body: ObjectMetadata): FieldRows {
  const rows = new Map<string, string>();
  collect(body, "", rows);
  return rows;
}

/** Returns the indexed form of a value. */
export function indexedValue(value: Scalar): string {
  const text = JSON.stringify(value);
  return text.length > longestValue ? `#${sha256(text)}` : text;
}

function collect(object: JsonObject, prefix: string, rows: Map<string, string>): void {
  for (const [field, value] of Object.entries(object)) {
    // A field name that contains a dot cannot be queried, because the query would address an inner field.
    if (value === undefined || value === null || foreignFields.has(field) || field.includes("."))
      continue;
    const name = prefix + field;
    if (typeof value !== "object") rows.set(name, indexedValue(value));
    else if (isJsonObject(value) && !isReference(value)) collect(value, `${name}.`, rows);
  }
}
