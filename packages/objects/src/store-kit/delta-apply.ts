import { isJsonObject, type JsonValue, type MutableObject, setField } from "../model/json.ts";
import type { Delta } from "./delta-encode.ts";
import { noteSameStart } from "./same-start.ts";
import { type ChunkReader, decodeText, decodeValue } from "./stored-form.ts";

/**
 * Applies a parsed delta. Lists and objects that are not frozen are changed in place, so that the cost of a chain of
 * deltas depends on their sizes and not on the size of the value. Frozen ones are copied.
 */
export function applyDelta(
  before: JsonValue | undefined,
  delta: Delta,
  chunks: ChunkReader,
): JsonValue {
  const [kind, value] = delta;
  if (kind === 0) return decodeValue(value ?? null, chunks);
  if (kind === 1 && typeof before === "string") return applyToText(before, delta, chunks);
  if (kind === 2 && Array.isArray(before)) {
    return applyToList(before as JsonValue[], delta, chunks);
  }
  if (kind === 3 && isJsonObject(before)) {
    return applyToObject(before, delta, chunks);
  }
  if (kind === 4 && typeof before === "number") return before + Number(value);
  throw new Error("the delta does not fit the version before it");
}

function applyToText(before: string, delta: Delta, chunks: ChunkReader): string {
  const [, prefix, suffix, text] = delta as readonly [1, number, number, string];
  const start = prefix === before.length ? before : before.slice(0, prefix);
  const end = suffix === 0 ? "" : before.slice(before.length - suffix);
  return start + decodeText(text, chunks) + end;
}

function applyToList(before: JsonValue[], delta: Delta, chunks: ChunkReader): JsonValue {
  const [, prefix, suffix, ...parts] = delta as readonly [
    2,
    number,
    number,
    ...(readonly JsonValue[])[],
  ];
  const middle = before.slice(prefix, before.length - suffix);
  const end = suffix === 0 ? [] : before.slice(before.length - suffix);
  // Copying a frozen list with slice takes sixty times as long.
  const list = Object.isFrozen(before) ? [...before] : before;
  list.length = prefix;
  for (const part of parts) {
    const [kind, start, detail] = part as readonly [number, number, JsonValue];
    if (kind === 0) {
      for (const item of middle.slice(start, start + Number(detail))) list.push(item);
    } else if (kind === 1) {
      for (const item of part.slice(1)) list.push(decodeValue(item, chunks));
    } else if (kind === 3) {
      for (const [index, difference] of part.slice(1).entries())
        list.push(Number(middle[index]) + Number(difference));
    } else {
      list.push(applyDelta(middle[start], detail as Delta, chunks));
    }
  }
  for (const item of end) list.push(item);
  noteSameStart(before, list, prefix);
  return list;
}

function applyToObject(before: MutableObject, delta: Delta, chunks: ChunkReader): JsonValue {
  const [, changes, removed = [], order = []] = delta as readonly [
    3,
    readonly JsonValue[],
    (readonly string[])?,
    (readonly string[])?,
  ];
  const object = Object.isFrozen(before) ? { ...before } : before;
  for (const field of removed) delete object[field];
  for (let index = 0; index < changes.length; index += 2) {
    const field = changes[index] as string;
    const former = Object.hasOwn(object, field) ? object[field] : undefined;
    setField(object, field, applyDelta(former, changes[index + 1] as Delta, chunks));
  }
  if (order.length === 0) return object;
  return Object.fromEntries(order.map((field) => [field, object[field]]));
}
