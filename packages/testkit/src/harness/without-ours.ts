import { executionField } from "@self-context-manager/core";
import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/** A host's record without what the results of tools carry for us (decision D51). */
export function withoutOurs(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(withoutOurs);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, one]) => {
    if (name === executionField || one === undefined) return [];
    const rest = withoutOurs(one);
    // A field that held nothing but ours may be empty without us, or not be there.
    return isEmpty(rest) ? [] : [[name, rest] as const];
  });
  return Object.fromEntries(fields);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isEmpty(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
