import { isJsonObject, type JsonObject, type JsonValue, setField } from "../model/json.ts";

import { itemsOfFrozen } from "./same-start.ts";
import { type HeldText, joinParts, partsIn, writeParts } from "./text-parts.ts";

/**
 * The stored form of values: each long text is stored separately, once, and is represented by `~#` and its key. A text
 * that contains other long texts of the version is represented by `~+` and their keys. A text that begins with `~` gets
 * another `~` in front.
 */
export interface ChunkWriter {
  /** Stores a text and returns its key. */
  write(text: string): number | string;
  /** The long texts of the version that were written, for texts that contain them. */
  readonly held?: HeldText[];
}

export interface ChunkReader {
  read(key: string): string;
}

/** Texts with at least this many units are stored separately; for a shorter text a separate row costs more than it saves. */
const longText = 1024;

/** At most so many texts are searched for in a longer one. A version that adds more is a history that is ingested at once. */
const mostHeld = 32;

export function encodeText(text: string, chunks: ChunkWriter): string {
  if (text.length < longText) return text.startsWith("~") ? `~${text}` : text;
  const { held } = chunks;
  const parts = held && partsIn(text, held);
  if (parts !== undefined) {
    const rest = encodeText(parts.rest, { write: (long) => chunks.write(long) });
    return writeParts({ ...parts, rest });
  }
  const key = chunks.write(text);
  if (held !== undefined && held.length < mostHeld) held.push({ text, key });
  return `~#${key}`;
}

export function decodeText(text: string, chunks: ChunkReader): string {
  if (!text.startsWith("~")) return text;
  if (text.startsWith("~#")) return chunks.read(text.slice(2));
  if (!text.startsWith("~+")) return text.slice(1);
  return joinParts(
    text,
    (key) => chunks.read(key),
    (rest) => decodeText(rest, chunks),
  );
}

/** Converts a value to its stored form; parts without long texts are reused. */
export function encodeValue(value: JsonValue, chunks: ChunkWriter): JsonValue {
  if (typeof value === "string") return encodeText(value, chunks);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const encoded = list.map((item) => encodeValue(item, chunks));
    return encoded.some((item, index) => item !== list[index]) ? encoded : list;
  }
  let changed = false;
  const fields = Object.entries(value as JsonObject).map(([field, item]) => {
    if (item === undefined) return [field, item] as const;
    const encoded = encodeValue(item, chunks);
    if (encoded !== item) changed = true;
    return [field, encoded] as const;
  });
  return changed ? Object.fromEntries(fields) : value;
}

/** Converts a parsed value back from its stored form, in place. */
export function decodeValue(value: JsonValue, chunks: ChunkReader): JsonValue {
  if (typeof value === "string") return decodeText(value, chunks);
  if (Array.isArray(value)) {
    const list = value as JsonValue[];
    list.forEach((item, index) => {
      if (typeof item === "string" ? item.startsWith("~") : typeof item === "object") {
        list[index] = decodeValue(item, chunks);
      }
    });
  } else if (isJsonObject(value)) {
    for (const [field, item] of Object.entries(value)) {
      if (item === undefined || item === null) continue;
      const decoded = decodeValue(item, chunks);
      if (decoded !== item) setField(value, field, decoded);
    }
  }
  return value;
}

/** Returns the approximate number of characters of a written value. */
export function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length + 3;
  if (Array.isArray(value)) {
    let size = 2;
    for (const item of value as readonly JsonValue[]) size += sizeOf(item) + 1;
    return size;
  }
  if (isJsonObject(value)) {
    let size = 2;
    for (const [field, item] of Object.entries(value)) size += field.length + 4 + sizeOf(item);
    return size;
  }
  return 5;
}

/** Freezes a value deeply; frozen parts are skipped. */
export function deepFreeze(value: JsonValue | undefined): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    for (let index = itemsOfFrozen(list); index < list.length; index += 1) deepFreeze(list[index]);
  } else for (const item of Object.values(value)) deepFreeze(item);
}
