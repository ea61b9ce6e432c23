import { contentFields, hashFields } from "./hash-fields.ts";
import { treeText } from "./hash-tree.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { viewValues } from "./metadata-view.ts";
import type { ObjectBody } from "./object-body.ts";
import { opaqueFields } from "./opaque-fields.ts";
import { sha256 } from "./sha256.ts";
import { shortestKept, textHash } from "./text-states.ts";

/**
 * The three hashes of every object, `<field>_hash` for each further content field that the object names, and the number
 * of the rule that made them.
 *
 * All hashes are SHA-256 in lower-case hexadecimal.
 */
export type ObjectHashes = {
  readonly content_hash: string;
  readonly metadata_view_hash: string;
  readonly object_hash: string;
  readonly hash_rule: number;
  readonly [field: `${string}_hash`]: string;
};

/** The rule by which versions are hashed. */
export const hashRule = 2;

/**
 * The fields beside the hashes of an object: the state of a file on disk holds a time, and an object hash holds none
 * (§4.3).
 */
const unhashedByType: Readonly<Record<string, readonly string[]>> = {
  file: ["disk"],
  note: ["disk"],
};

/** Computes all hashes of an object. */
export function hashObject(body: ObjectBody): ObjectHashes {
  const texts = textHashes(body);
  return {
    ...texts,
    metadata_view_hash: sha256(treeText(viewValues(body))),
    object_hash: sha256(treeText(hashedFields(body, texts), opaqueFields(body))),
    hash_rule: hashRule,
  };
}

/** Returns the text of which the object hash is the SHA-256. */
export function objectHashText(body: ObjectBody): string {
  return treeText(hashedFields(body, textHashes(body)), opaqueFields(body));
}

/** Returns the hashes of the content and of the further content fields. */
function textHashes(body: ObjectBody): Pick<ObjectHashes, "content_hash"> {
  const hashes: Record<`${string}_hash`, string> = {};
  for (const field of contentFields(body)) hashes[`${field}_hash`] = sha256(stringOf(body[field]));
  return { ...hashes, content_hash: contentHash(body) };
}

/** Returns the fields under the object hash: a text that has its own hash is represented by it. */
function hashedFields(body: ObjectBody, texts: Pick<ObjectHashes, "content_hash">): JsonObject {
  const left = new Set([
    ...hashFields(body),
    ...contentFields(body),
    ...(Object.hasOwn(unhashedByType, body.type) ? (unhashedByType[body.type] ?? []) : []),
  ]);
  const fields = Object.fromEntries(Object.entries(body).filter(([field]) => !left.has(field)));
  if (body.content !== null) return { ...fields, ...texts, content: undefined };
  const { content_hash: _, ...further } = texts;
  return { ...fields, ...further };
}

function contentHash({ id, content }: ObjectBody): string {
  if (content === null || content.length < shortestKept) return sha256(content ?? "");
  return textHash(id, content);
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
