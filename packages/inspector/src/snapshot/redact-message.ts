import { isJsonObject, type JsonObject, type JsonValue } from "@self-context-manager/objects";

import { keptWord, removedText } from "./removed-text.ts";

/** Fields of a message or a block whose values are one word, a number, or yes or no. */
const keptFields: ReadonlySet<string> = new Set([
  "role",
  "type",
  "kind",
  "id",
  "name",
  "toolCallId",
  "toolName",
  "isError",
  "mimeType",
  "timestamp",
]);

/** Returns the JSON of a message without its texts: its role, its blocks, the names of tools, and the sizes of texts. */
export function redactMessage(json: string): string {
  const message: JsonValue = JSON.parse(json);
  if (!isJsonObject(message)) return JSON.stringify(removedText(json));
  const { content } = message;
  return JSON.stringify({
    ...partsOf(message, "content"),
    ...(content === undefined
      ? {}
      : {
          content: Array.isArray(content)
            ? (content as readonly JsonValue[]).map(blockOf)
            : removedValue(content),
        }),
  });
}

function blockOf(block: JsonValue): JsonValue {
  return isJsonObject(block) ? partsOf(block) : removedValue(block);
}

/** The known fields of an object; all others have one text together, because even their names can be content. */
function partsOf(from: JsonObject, except?: string): JsonObject {
  const kept: Record<string, JsonValue> = {};
  const others: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(from)) {
    if (field === except || value === undefined) continue;
    if (keptFields.has(field)) kept[field] = keptValue(value);
    else if (textFields.has(field)) kept[field] = removedValue(value);
    else others[field] = value;
  }
  return Object.keys(others).length === 0
    ? kept
    : { ...kept, other: removedText(JSON.stringify(others)) };
}

/** Fields whose names say what the removed text was. */
const textFields: ReadonlySet<string> = new Set(["text", "thinking", "arguments", "data"]);

function keptValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return keptWord(value);
  return typeof value === "number" || typeof value === "boolean" ? value : removedValue(value);
}

function removedValue(value: JsonValue): string {
  return removedText(typeof value === "string" ? value : JSON.stringify(value));
}
