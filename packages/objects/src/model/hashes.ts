import { createHash, hash, type Hash } from "node:crypto";
import {
  canonicalFields,
  longPiece,
  type Piece,
  type Sink,
  textOf,
  writeCanonical,
} from "./canonical-json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { viewValues } from "./metadata-view.ts";
import type { ObjectBody } from "./object-body.ts";
import { foreignFields } from "./references.ts";
import { shortestKept, textStates } from "./text-states.ts";

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
  const contentAt = fields.indexOf("content");
  const before: Piece[] = [];
  writeFields(body, fields.slice(0, contentAt), "{", (piece) => before.push(piece));
  before.push(`${contentAt === 0 ? "{" : ","}"content":`);
  const after: Piece[] = [];
  writeFields(body, fields.slice(contentAt + 1), ",", (piece) => after.push(piece));
  after.push("}");
  const { content } = body;
  if (content === null || content.length < shortestKept) {
    return {
      content_hash: sha256(content ?? ""),
      object_hash: sha256Pieces([...before, JSON.stringify(content), ...after]),
    };
  }
  const states = textStates(body.id, `${textOf(before)}"`, content);
  const whole = states.escaped.copy();
  updateAll(whole, ['"', ...after]);
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
  return sha256Pieces(pieces);
}

/** Up to this many characters pieces are hashed as one text. */
const longestText = 65_536;

function sha256Pieces(pieces: readonly Piece[]): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= longestText && pieces.every((piece) => typeof piece === "string"))
    return sha256(pieces.join(""));
  const whole = createHash("sha256");
  updateAll(whole, pieces);
  return whole.digest("hex");
}

/** Short pieces are handed over together, longer ones as they are. */
function updateAll(whole: Hash, pieces: readonly Piece[]): void {
  let batch: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (length > 0) whole.update(batch.join(""), "utf8");
    batch = [];
    length = 0;
  };
  for (const piece of pieces) {
    if (typeof piece === "string" && piece.length < longPiece) {
      batch.push(piece);
      length += piece.length;
      if (length >= longPiece) flush();
    } else {
      flush();
      whole.update(piece);
    }
  }
  flush();
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
