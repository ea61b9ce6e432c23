import stableStringify from "fast-json-stable-stringify";
import { type JsonObject, type JsonValue, presentFields } from "./json.ts";
import { foreignFields, isReference } from "./references.ts";

/** The canonical JSON of a value: keys sorted by UTF-16 unit, no white space, absent fields left out. */
export function canonicalJson(value: JsonValue): string {
  return stableStringify(value);
}

/** Text of a canonical form, or its UTF-8 bytes. Long kept pieces are bytes, so that they are not encoded for each hash. */
export type Piece = string | Uint8Array;

/** Receives the text of a canonical form piece by piece. */
export type Sink = (piece: Piece) => void;

/** Pieces with at least this many characters are kept as bytes and passed on separately. */
export const longPiece = 4_096;

/** Joins pieces to one text. */
export function joinedText(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8")))
    .join("");
}

/** Joins pieces to one piece that can be kept. */
function joinedPiece(pieces: readonly Piece[]): Piece {
  if (pieces.every((piece) => typeof piece === "string")) {
    const text = pieces.join("");
    return text.length < longPiece ? text : Buffer.from(text, "utf8");
  }
  const bytes = pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  return Buffer.concat(bytes);
}

/**
 * Writes the canonical JSON of a value. References are written without their transaction, so that equal content has
 * equal hashes in every store (decision D20).
 *
 * The text of frozen parts is cached. Hashing the next version of a long document therefore serializes only the new
 * parts; the rest is hashed from its kept text.
 */
export function writeCanonical(value: JsonValue, sink: Sink, foreign = false): void {
  if (typeof value !== "object" || value === null) sink(JSON.stringify(value));
  else if (Array.isArray(value)) writeList(value as readonly JsonValue[], sink, foreign);
  else writeObject(value as JsonObject, sink, foreign);
}

/** Returns the present fields of an object in canonical order. */
export function canonicalFields(object: JsonObject): readonly string[] {
  const fields = presentFields(object);
  return isSorted(fields) ? fields : fields.toSorted();
}

function isSorted(fields: readonly string[]): boolean {
  return fields.every((field, index) => index === 0 || String(fields[index - 1]) < field);
}

/** The number of items of a long list that are cached as one text. */
const blockLength = 64;

/** The cached text of an object; the text of a block of a long list is cached under the block's last item. */
const objectTexts = eachWay(() => new WeakMap<object, Piece>());
const blockTexts = eachWay(
  () => new WeakMap<object, { readonly items: readonly JsonValue[]; readonly text: Piece }>(),
);

/** Separate caches for own and foreign fields: the same frozen part can occur in both and is written differently. */
function eachWay<Kept>(make: () => Kept): (foreign: boolean) => Kept {
  const own = make();
  const foreigns = make();
  return (foreign) => (foreign ? foreigns : own);
}

/** An object with more characters is written field by field, so that no long text is cached twice. */
const longestKept = 65_536;

function writeList(list: readonly JsonValue[], sink: Sink, foreign: boolean): void {
  if (list.every((item) => typeof item === "string")) {
    sink(JSON.stringify(list));
    return;
  }
  sink("[");
  for (let start = 0; start < list.length; start += blockLength) {
    if (start > 0) sink(",");
    const last = list[start + blockLength - 1];
    if (typeof last === "object" && last !== null && Object.isFrozen(last)) {
      sink(blockText(list, start, last, foreign));
    } else {
      writeItems(list.slice(start, start + blockLength), sink, foreign);
    }
  }
  sink("]");
}

function blockText(
  list: readonly JsonValue[],
  start: number,
  last: object,
  foreign: boolean,
): Piece {
  const kept = blockTexts(foreign).get(last);
  if (kept?.items.every((item, index) => item === list[start + index]) === true) return kept.text;
  const items = list.slice(start, start + blockLength);
  const pieces: Piece[] = [];
  writeItems(items, (piece) => pieces.push(piece), foreign);
  const text = joinedPiece(pieces);
  if (items.every((item) => Object.isFrozen(item))) blockTexts(foreign).set(last, { items, text });
  return text;
}

function writeItems(items: readonly JsonValue[], sink: Sink, foreign: boolean): void {
  items.forEach((item, index) => {
    if (index > 0) sink(",");
    writeCanonical(item, sink, foreign);
  });
}

function writeObject(object: JsonObject, sink: Sink, foreign: boolean): void {
  if (!Object.isFrozen(object)) {
    writeFields(object, sink, foreign);
    return;
  }
  const known = objectTexts(foreign).get(object);
  if (known !== undefined) {
    sink(known);
    return;
  }
  const pieces: Piece[] = [];
  let length = 0;
  writeFields(
    object,
    (piece) => {
      pieces.push(piece);
      length += piece.length;
    },
    foreign,
  );
  if (length <= longestKept) {
    const text = joinedPiece(pieces);
    objectTexts(foreign).set(object, text);
    sink(text);
  } else {
    for (const piece of pieces) sink(piece);
  }
}

function writeFields(object: JsonObject, sink: Sink, foreign: boolean): void {
  const isBare = !foreign && isReference(object);
  let separator = "{";
  for (const field of canonicalFields(object)) {
    const value = object[field];
    if (value === undefined || (isBare && (field === "tx_id" || field === "tx_time"))) continue;
    sink(`${separator}${JSON.stringify(field)}:`);
    separator = ",";
    writeCanonical(value, sink, foreign || foreignFields.has(field));
  }
  sink(separator === "{" ? "{}" : "}");
}
