import type { ObjectBody, ObjectMetadata } from "./object-body.ts";

/** Content fields that always have their own hash; the `content_fields` of an object add others. */
const knownContentFields = ["short_summary", "long_summary"] as const;

const usualHashFields = ["content_hash", "metadata_view_hash", "object_hash", "hash_rule"] as const;

/** Returns the names of the present content fields of an object, except `content`. */
export function contentFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  return [...new Set(possibleFields(body))].filter(
    (field) => field !== "content" && typeof body[field] === "string",
  );
}

function possibleFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  return [...knownContentFields, ...(body.content_fields ?? [])];
}

/** Returns the names of the fields that a stored or exported object has for its hashes. */
export function hashFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  return [...usualHashFields, ...contentFields(body).map((field) => `${field}_hash`)];
}

/**
 * Returns the names that no field of an object may have: those of its hashes, and of the hashes of content fields that it
 * lacks. Otherwise a hash that an object holds as data and the hash of a text would give the same object hash.
 */
export function reservedFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  return [...usualHashFields, ...possibleFields(body).map((field) => `${field}_hash`)];
}
