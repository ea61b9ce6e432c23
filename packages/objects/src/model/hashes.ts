import { createHash, hash, type Hash } from "node:crypto";
import {
  canonicalFields,
  joinedText,
  longPiece,
  type Piece,
  type Sink,
  writeCanonical,
} from "./canonical-json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { viewValues } from "./metadata-view.ts";
import type { ObjectBody } from "./object-body.ts";
import { foreignFields } from "./references.ts";
import { shortestKept, textStates } from "./text-states.ts";

/**
 * The three hashes of every object, and `<field>_hash` for each further content field that the object names.
 *
 * All are SHA-256 in lower-case hexadecimal.
 */
export type ObjectHashes = {
  readonly content_hash: string;
  readonly metadata_view_hash: string;
  readonly object_hash: string;
  readonly [field: `${string}_hash`]: string;
};

/** Content fields that always have their own hash; the `content_fields` of an object add others. */
const knownContentFields = ["short_summary", "long_summary"] as const;

/** Returns the SHA-256 of the UTF-8 bytes of a text, in hexadecimal. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

/** Computes all hashes of an object. */
export function hashObject(body: ObjectBody): ObjectHashes {
  const hashes: Record<`${string}_hash`, string> = {};
  for (const field of contentFields(body)) hashes[`${field}_hash`] = sha256(stringOf(body[field]));
  return { ...hashes, metadata_view_hash: sha256Json(viewValues(body)), ...bodyHashes(body) };
}

/** Computes the hashes of the content and of the object. For a long content both continue from a kept hash state. */
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
  const states = textStates(body.id, `${joinedText(before)}"`, content);
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

/** Returns the names of the present content fields of an object, except `content`. */
export function contentFields(body: ObjectBody): readonly string[] {
  const named = [...knownContentFields, ...(body.content_fields ?? [])];
  return [...new Set(named)].filter(
    (field) => field !== "content" && typeof body[field] === "string",
  );
}

/** Returns the names of the hash fields of a stored or exported object. */
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

/** Pieces with up to this many characters in total are hashed as one text. */
const longestText = 65_536;

function sha256Pieces(pieces: readonly Piece[]): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= longestText && pieces.every((piece) => typeof piece === "string"))
    return sha256(pieces.join(""));
  const whole = createHash("sha256");
  updateAll(whole, pieces);
  return whole.digest("hex");
}

/** Hashes short pieces together and long pieces separately. */
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
