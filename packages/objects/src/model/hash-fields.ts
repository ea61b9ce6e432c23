import type { ObjectBody, ObjectMetadata } from "./object-body.ts";

/** Content fields that always have their own hash; the `content_fields` of an object add others. */
const knownContentFields = ["short_summary", "long_summary"] as const;

/** Returns the names of the present content fields of an object, except `content`. */
export function contentFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  const named = [...knownContentFields, ...(body.content_fields ?? [])];
  return [...new Set(named)].filter(
    (field) => field !== "content" && typeof body[field] === "string",
  );
}

/** Returns the names of the fields that a stored or exported object has for its hashes. */
export function hashFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  return [
    "content_hash",
    "metadata_view_hash",
    "object_hash",
    "hash_rule",
    ...contentFields(body).map((field) => `${field}_hash`),
  ];
}
