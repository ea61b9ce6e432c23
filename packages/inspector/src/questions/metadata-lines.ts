import {
  compareText,
  isJsonList,
  isReference,
  type JsonValue,
  type ObjectMetadata,
} from "@self-context-manager/objects";

import type { MetadataLine } from "../answers.ts";

/** The characters of a value of metadata that are shown. */
const longestValue = 2_000;

/** The fields that a reader looks for first. */
const firstFields = ["id", "type", "path", "tool", "args_display", "status", "file_type"] as const;

/** The fields in an order that is the same in every store. References are left out, because the answer lists them. */
export function metadataLines(body: ObjectMetadata): readonly MetadataLine[] {
  const others = Object.keys(body).filter((field) => !firstFields.some((one) => one === field));
  return [...firstFields, ...others.toSorted(compareText)].flatMap(
    (field): readonly MetadataLine[] => {
      const value = body[field];
      return value === undefined || isOnlyReferences(value) ? [] : [[field, valueText(value)]];
    },
  );
}

function isOnlyReferences(value: JsonValue): boolean {
  return isJsonList(value) ? value.length > 0 && value.every(isReference) : isReference(value);
}

function valueText(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1)}…`;
}
