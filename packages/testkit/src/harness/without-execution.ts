import { executionField } from "@self-context-manager/core/host";
import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/**
 * Returns a host's record without the execution field: the only data that the adapter adds to the results of tools.
 */
export function withoutExecution(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(withoutExecution);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, one]) => {
    if (name === executionField || one === undefined) return [];
    const rest = withoutExecution(one);
    // A field that held only the execution field may be empty or absent in the host's plain record.
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
