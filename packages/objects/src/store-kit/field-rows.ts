import { sha256 } from "../model/hashes.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { ObjectMetadata } from "../model/object-body.ts";
import { foreignFields, isReference } from "../model/references.ts";
import type { Scalar } from "../ports/object-store.ts";

/** The fields of an object that can be asked for, by name, each value as it stands in the index. */
export type FieldRows = ReadonlyMap<string, string>;

/** Values above this many characters are compared by hash. */
const longestValue = 200;

/** The scalar fields of an object, inner ones under their dotted names; null is left out, as absence is. */
export function fieldRows(body: ObjectMetadata): FieldRows {
  const rows = new Map<string, string>();
  collect(body, "", rows);
  return rows;
}

/** A value as it stands in the index. */
export function indexedValue(value: Scalar): string {
  const text = JSON.stringify(value);
  return text.length > longestValue ? `#${sha256(text)}` : text;
}

function collect(object: JsonObject, prefix: string, rows: Map<string, string>): void {
  for (const [field, value] of Object.entries(object)) {
    // A name with a dot of its own cannot be asked for: the query would mean an inner field.
    if (value === undefined || value === null || foreignFields.has(field) || field.includes("."))
      continue;
    const name = prefix + field;
    if (typeof value !== "object") rows.set(name, indexedValue(value));
    else if (isJsonObject(value) && !isReference(value)) collect(value, `${name}.`, rows);
  }
}
