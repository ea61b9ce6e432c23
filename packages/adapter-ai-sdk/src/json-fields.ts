import type { JsonObject, JsonValue } from "@self-context-manager/core";
import { isJsonObject as isFields } from "@self-context-manager/core/host";

export { isFields };

export function fieldsOf(value: unknown): JsonObject {
  return isFields(value) ? value : {};
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}
