import stableStringify from "fast-json-stable-stringify";
import { type JsonObject, type JsonValue, presentFields } from "./json.ts";

/** The canonical JSON of a value: keys sorted by UTF-16 unit, no white space, absent fields left out. */
export function canonicalJson(value: JsonValue): string {
  return stableStringify(value);
}

/** Returns the present fields of an object in canonical order. */
export function canonicalFields(object: JsonObject): readonly string[] {
  const fields = presentFields(object);
  return isSorted(fields) ? fields : fields.toSorted();
}

function isSorted(fields: readonly string[]): boolean {
  return fields.every((field, index) => index === 0 || String(fields[index - 1]) < field);
}
