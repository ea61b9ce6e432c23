import type { JsonObject, JsonValue } from "@self-context-manager/core";

/** Whether a value is an object with fields, which are checked one by one. */
export function isFields(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): JsonObject {
  return isFields(value) ? value : {};
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}
