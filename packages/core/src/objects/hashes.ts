import { createHash, hash, type Hash } from "node:crypto";

import {
  canonicalFields,
  longPiece,
  type Piece,
  type Sink,
  textOf,
  writeCanonical,
} from "./canonical-json.ts";
import { textStates } from "./growing-text.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { foreignFields } from "./references.ts";
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
  return hash("sha256", text);
}

/** Computes every hash of an object (specification v0 §4.3, decision D20). */
export function hashObject(body: ObjectBody): ObjectHashes {
  const hashes: Record<`${string}_hash`, string> = {};
  for (const field of contentFields(body)) hashes[`${field}_hash`] = sha256(stringOf(body[field]));
  return { ...hashes, metadata_view_hash: sha256Json(viewValues(body)), ...bodyHashes(body) };
}

/** The hash of the content and that of the whole, which goes on from the first where the content is long. */
function bodyHashes(body: ObjectBody): Pick<ObjectHashes, "content_hash" | "object_hash"> {
  const own = new Set(hashFields(body));
  const fields = canonicalFields(body).filter((field) => !own.has(field));
  const before = fields.slice(0, fields.indexOf("content"));
  const prefix: Piece[] = [];
  writeFields(body, before, "{", (piece) => prefix.push(piece));
  prefix.push(`${before.length === 0 ? "{" : ","}"content":`);
  const { content } = body;
  const opening = textOf(prefix);
  const states = textStates(body.id, `${opening}"`, content ?? "");
  const whole =
    content === null
      ? createHash("sha256").update(`${opening}null`)
      : states.escaped.copy().update('"');
  const pieces: Piece[] = [];
  writeFields(body, fields.slice(before.length + 1), ",", (piece) => pieces.push(piece));
  pieces.push("}");
  updateAll(whole, pieces);
  return { content_hash: states.plain.copy().digest("hex"), object_hash: whole.digest("hex") };
}

function writeFields(body: JsonObject, fields: readonly string[], first: string, sink: Sink): void {
  let separator = first;
  for (const field of fields) {
    const value = body[field];
    if (value === undefined) continue;
    sink(`${separator}${JSON.stringify(field)}:`);
    separator = ",";
    writeCanonical(value, sink, foreignFields.has(field));
  }
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

function sha256Json(value: JsonValue): string {
  const pieces: Piece[] = [];
  writeCanonical(value, (piece) => pieces.push(piece));
  const whole = createHash("sha256");
  updateAll(whole, pieces);
  return whole.digest("hex");
}

/** Short pieces are handed over together, longer ones as they are. */
function updateAll(whole: Hash, pieces: readonly Piece[]): void {
  let batch = "";
  for (const piece of pieces) {
    const isShort = typeof piece === "string" && piece.length < longPiece;
    if (isShort) batch += piece;
    if (batch.length >= longPiece || (batch !== "" && !isShort)) {
      whole.update(batch, "utf8");
      batch = "";
    }
    if (!isShort) whole.update(piece);
  }
  if (batch !== "") whole.update(batch, "utf8");
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
