import { createHash } from "node:crypto";

import { canonicalPieces } from "./canonical-json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { viewValues } from "./metadata-view.ts";
import type { ObjectBody } from "./object-body.ts";

/**
 * The three hashes of every object, and `<field>_hash` for each further content field it names (decision D20).
 *
 * All are SHA-256 in lower-case hexadecimal.
 */
export type ObjectHashes = {
  readonly content_hash: string;
  readonly metadata_view_hash: string;
  readonly object_hash: string;
  readonly [field: `${string}_hash`]: string;
};

/** Content fields that have a hash wherever they occur; an object's `content_fields` adds others. */
const knownContentFields = ["short_summary", "long_summary"] as const;

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Computes every hash of an object (specification v0 §4.3, decision D20). */
export function hashObject(body: ObjectBody): ObjectHashes {
  const hashes: Record<`${string}_hash`, string> = {};
  for (const field of contentFields(body)) hashes[`${field}_hash`] = sha256(textOf(body[field]));
  return {
    ...hashes,
    content_hash: sha256(body.content ?? ""),
    metadata_view_hash: sha256Json(viewValues(body)),
    object_hash: sha256Json(withoutHashes(body)),
  };
}

/** The names of an object's further content fields that are present, `content` aside. */
export function contentFields(body: ObjectBody): readonly string[] {
  const named = [...knownContentFields, ...(body.content_fields ?? [])];
  return [...new Set(named)].filter(
    (field) => field !== "content" && typeof body[field] === "string",
  );
}

/** The names under which hashes stand in a stored or exported object. */
export function hashFields(body: ObjectBody): readonly string[] {
  return [
    "content_hash",
    "metadata_view_hash",
    "object_hash",
    ...contentFields(body).map((field) => `${field}_hash`),
  ];
}

function withoutHashes(body: ObjectBody): JsonObject {
  const present = hashFields(body).filter((field) => Object.hasOwn(body, field));
  if (present.length === 0) return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => !present.includes(field)));
}

function sha256Json(value: JsonValue): string {
  const hash = createHash("sha256");
  for (const piece of canonicalPieces(value)) hash.update(piece, "utf8");
  return hash.digest("hex");
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
