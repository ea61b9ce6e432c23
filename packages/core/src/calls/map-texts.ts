import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/**
 * Returns a value in which another text can be at the place of each text. `change` gets the text and the name of the
 * field that holds it, also for a text in a list. Fields, lists and other values stay.
 */
export function mapTexts(
  value: JsonValue | undefined,
  change: (text: string, name: string) => string,
  name = "",
): JsonValue | undefined {
  if (typeof value === "string") return change(value, name);
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item) => mapTexts(item, change, name) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [field, mapTexts(item, change, field)]),
  ) as JsonValue;
}
