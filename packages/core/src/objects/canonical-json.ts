import stableStringify from "fast-json-stable-stringify";

import type { JsonValue } from "./json.ts";
import { foreignFields, isReference } from "./references.ts";

/** The canonical JSON of a value: keys sorted by UTF-16 unit, no white space, absent fields left out. */
export function canonicalJson(value: JsonValue): string {
  return stableStringify(value);
}

/**
 * The canonical JSON of a value whose references are taken without their transaction (decision D20), in pieces that
 * are kept with frozen parts, so that hashing one more version of a long document does not write it out again.
 */
export function canonicalPieces(value: JsonValue): string[] {
  const pieces: string[] = [];
  write(value, pieces, false);
  return pieces;
}

/** Text by frozen part; parts are shared between the versions of a document. */
const written = new WeakMap<object, string>();

/** Parts above this many characters are written piece by piece, so that no text is kept twice over. */
const longestKept = 65_536;

function write(value: JsonValue, pieces: string[], foreign: boolean): void {
  if (typeof value !== "object" || value === null) {
    pieces.push(JSON.stringify(value));
    return;
  }
  const known = written.get(value);
  if (known !== undefined) {
    pieces.push(known);
    return;
  }
  const start = pieces.length;
  if (Array.isArray(value)) writeList(value as readonly JsonValue[], pieces, foreign);
  else writeObject(value as { readonly [field: string]: JsonValue | undefined }, pieces, foreign);
  if (Object.isFrozen(value)) keep(value, pieces, start);
}

function keep(value: object, pieces: string[], start: number): void {
  let length = 0;
  for (let index = start; index < pieces.length; index += 1) {
    length += pieces[index]?.length ?? 0;
    if (length > longestKept) return;
  }
  const text = pieces.splice(start).join("");
  pieces.push(text);
  written.set(value, text);
}

function writeList(list: readonly JsonValue[], pieces: string[], foreign: boolean): void {
  pieces.push("[");
  list.forEach((item, index) => {
    if (index > 0) pieces.push(",");
    write(item, pieces, foreign);
  });
  pieces.push("]");
}

function writeObject(
  object: { readonly [field: string]: JsonValue | undefined },
  pieces: string[],
  foreign: boolean,
): void {
  const bare = !foreign && isReference(object);
  pieces.push("{");
  let first = true;
  for (const field of Object.keys(object).sort()) {
    const value = object[field];
    if (value === undefined || (bare && (field === "tx_id" || field === "tx_time"))) continue;
    pieces.push(`${first ? "" : ","}${JSON.stringify(field)}:`);
    first = false;
    write(value, pieces, foreign || foreignFields.has(field));
  }
  pieces.push("}");
}
