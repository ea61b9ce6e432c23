import { canonicalFields } from "../model/canonical-json.ts";
import { isJsonList, isJsonObject, type JsonValue, presentFields } from "../model/json.ts";
import { opaqueAt, type OpaqueInside } from "../model/opaque-fields.ts";

/** Returns the JSON of a value: keys are sorted, except in its opaque parts. */
export function lineJson(value: JsonValue, opaque: OpaqueInside): string {
  if (opaque === true) return JSON.stringify(value);
  if (isJsonList(value)) return `[${value.map((item) => lineJson(item, opaque)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = canonicalFields(value).map(
    (field) =>
      `${JSON.stringify(field)}:${lineJson(value[field] ?? null, opaqueAt(opaque, field))}`,
  );
  return `{${fields.join(",")}}`;
}

/** Whether the JSON of two values is equal. Parts that are one value already cost nothing. */
export function hasSameJson(
  one: JsonValue | undefined,
  other: JsonValue | undefined,
  opaque: OpaqueInside,
): boolean {
  if (one === other) return true;
  if (isJsonList(one) && isJsonList(other)) {
    return (
      one.length === other.length &&
      one.every((item, index) => hasSameJson(item, other[index], opaque))
    );
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const [fields, others] =
    opaque === true
      ? [presentFields(one), presentFields(other)]
      : [canonicalFields(one), canonicalFields(other)];
  return (
    fields.length === others.length &&
    fields.every(
      (field, index) =>
        field === others[index] && hasSameJson(one[field], other[field], opaqueAt(opaque, field)),
    )
  );
}

/**
 * Whether the JSON of a value has more characters than a limit. Characters that JSON escapes count once. Only as much of
 * the value is read as is needed to know it.
 */
export function isLonger(value: JsonValue, limit: number): boolean {
  return restAfter(value, limit) < 0;
}

/** Returns the characters that are left of a limit after a value; below 0 if it is longer. */
function restAfter(value: JsonValue, limit: number): number {
  if (typeof value === "string") return limit - value.length - 2;
  if (typeof value !== "object" || value === null) return limit - String(value).length;
  // Both brackets, and a comma between two parts.
  let rest = limit - 1;
  if (isJsonList(value)) {
    for (const item of value) {
      rest = restAfter(item, rest - 1);
      if (rest < 0) return rest;
    }
    return value.length === 0 ? rest - 1 : rest;
  }
  const fields = presentFields(value);
  for (const field of fields) {
    rest = restAfter(value[field] ?? null, rest - field.length - 4);
    if (rest < 0) return rest;
  }
  return fields.length === 0 ? rest - 1 : rest;
}
