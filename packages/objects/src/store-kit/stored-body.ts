import { type JsonObject, type MutableObject, setField } from "../model/json.ts";
import { bulkFields, type ObjectBody } from "../model/object-body.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { deepFreeze } from "./stored-form.ts";

/**
 * The bulk fields of a body, which a store keeps as a chain of deltas. The content comes last, because it often contains
 * texts of the other fields.
 */
export function bulkOf(body: ObjectBody): JsonObject {
  const bulk: MutableObject = {};
  for (const field of fieldsInOrder) {
    const value = body[field];
    if (value !== undefined) bulk[field] = value;
  }
  return bulk;
}

const fieldsInOrder = [...[...bulkFields].filter((field) => field !== "content"), "content"];

/** Kept for frozen bodies only: a store compares the text of each version with that of the version before. */
const metadataTexts = new WeakMap<ObjectBody, string>();

/** The other fields of a body as JSON, with 0 instead of each bulk field, so that the order of fields is kept. */
export function metadataText(body: ObjectBody): string {
  const known = metadataTexts.get(body);
  if (known !== undefined) return known;
  const shown: MutableObject = {};
  for (const [field, value] of Object.entries(body)) {
    if (value !== undefined) setField(shown, field, bulkFields.has(field) ? 0 : value);
  }
  const text = JSON.stringify(shown);
  if (Object.isFrozen(body)) metadataTexts.set(body, text);
  return text;
}

/** A version from the parsed `metadataText` of its body, its bulk fields and the rest of the version, frozen. */
export function wholeVersion(
  metadata: ObjectBody,
  bulk: JsonObject,
  rest: Omit<StoredVersion, "body">,
): StoredVersion {
  const body: MutableObject = {};
  for (const [field, value] of Object.entries(metadata)) {
    setField(body, field, Object.hasOwn(bulk, field) ? bulk[field] : value);
  }
  deepFreeze(body);
  return Object.freeze({ body: body as ObjectBody, ...rest });
}
