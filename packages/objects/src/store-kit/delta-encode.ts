import { isJsonObject, type JsonObject, type JsonValue, presentFields } from "../model/json.ts";
import { sameStart } from "./same-start.ts";
import { type ChunkWriter, encodeText, encodeValue, sizeOf } from "./stored-form.ts";
import { sharedSpan } from "./text-span.ts";

/**
 * The difference between two values, as JSON:
 *
 * - `[0, value]`: the value itself.
 * - `[1, prefix, suffix, text]`: a text that keeps its beginning and end.
 * - `[2, prefix, suffix, ...parts]`: a list that keeps its beginning and end; a part is `[0, start, count]` for items of
 *   the former middle, `[1, ...values]` for new ones, `[2, start, delta]` for a changed one, `[3, ...differences]` for
 *   whole numbers that each grew or shrank.
 * - `[3, [field, delta, …], removed, order]`: an object; `order` is empty where removing and adding gives the right one,
 *   and lists at the end are left out where they are empty.
 * - `[4, difference]`: a whole number that grew or shrank.
 */
export type Delta = readonly JsonValue[];

export interface DeltaResult {
  readonly delta: Delta;
  /** Approximate growth of the value in characters; negative if it shrank. */
  readonly growth: number;
}

interface Context extends ChunkWriter {
  growth: number;
}

/** A shared beginning or end below this many units costs more to name than to repeat. */
const worthNaming = 16;

/** Returns the delta from one value to another; undefined if they are equal. It is fast if equal parts are identical objects. */
export function encodeDelta(
  before: JsonValue,
  after: JsonValue,
  chunks: ChunkWriter,
): DeltaResult | undefined {
  const context: Context = { ...holding(chunks), growth: 0 };
  const delta = diff(before, after, context);
  return delta === undefined ? undefined : { delta, growth: context.growth };
}

/** Returns the delta that contains the whole value. */
export function encodeWhole(value: JsonValue, chunks: ChunkWriter): Delta {
  return [0, encodeValue(value, holding(chunks))];
}

function holding(chunks: ChunkWriter): ChunkWriter {
  return { write: (text) => chunks.write(text), held: [] };
}

function diff(before: JsonValue, after: JsonValue, context: Context): Delta | undefined {
  if (before === after) return undefined;
  if (typeof before === "string" && typeof after === "string")
    return diffText(before, after, context);
  if (Array.isArray(before) && Array.isArray(after)) {
    return diffList(before as readonly JsonValue[], after as readonly JsonValue[], context);
  }
  if (isJsonObject(before) && isJsonObject(after)) return diffObject(before, after, context);
  const difference = differenceOf(before, after);
  if (difference !== undefined) return [4, difference];
  return replace(before, after, context);
}

function replace(before: JsonValue | undefined, after: JsonValue, context: Context): Delta {
  context.growth += sizeOf(after) - (before === undefined ? 0 : sizeOf(before));
  return [0, encodeValue(after, context)];
}

/** Returns the growth of a whole number; undefined if adding it would not give the same number again. */
function differenceOf(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): number | undefined {
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after)) return undefined;
  const difference = Number(after) - Number(before);
  return Number.isSafeInteger(difference) ? difference : undefined;
}

function diffText(before: string, after: string, context: Context): Delta {
  const { prefix, suffix, between } = sharedSpan(before, after);
  if (prefix + suffix < worthNaming) return replace(before, after, context);
  context.growth += after.length - before.length;
  return [1, prefix, suffix, encodeText(between, context)];
}

function diffList(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  context: Context,
): Delta | undefined {
  const shortest = Math.min(before.length, after.length);
  let prefix = sameStart(before, after);
  while (prefix < shortest && isEqual(before[prefix], after[prefix])) prefix += 1;
  if (prefix === before.length && prefix === after.length) return undefined;
  let suffix = 0;
  while (
    suffix < shortest - prefix &&
    isEqual(before[before.length - 1 - suffix], after[after.length - 1 - suffix])
  ) {
    suffix += 1;
  }
  const parts = diffMiddle(
    before.slice(prefix, before.length - suffix),
    after.slice(prefix, after.length - suffix),
    context,
  );
  return [2, prefix, suffix, ...parts];
}

function diffMiddle(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  context: Context,
): readonly JsonValue[] {
  const differences = differencesOf(before, after);
  if (differences !== undefined) return [[3, ...differences]];
  const places = formerPlaces(before, after);
  const kept = new Set<number>();
  // Every former item is used at most once, because items are changed in place later.
  const sources = after.map((item) => {
    const place = places(item)?.shift();
    if (place !== undefined) kept.add(place);
    return place;
  });
  const parts: JsonValue[][] = [];
  let cursor = 0;
  after.forEach((item, index) => {
    const place = sources[index];
    const last = parts.at(-1);
    if (place !== undefined) {
      if (last?.[0] === 0 && Number(last[1]) + Number(last[2]) === place)
        last[2] = Number(last[2]) + 1;
      else parts.push([0, place, 1]);
      cursor = place + 1;
      return;
    }
    const former = before[cursor];
    if (former !== undefined && !kept.has(cursor) && isContainer(former) && isContainer(item)) {
      kept.add(cursor);
      parts.push([2, cursor, diff(former, item, context) ?? replace(undefined, item, context)]);
      cursor += 1;
      return;
    }
    context.growth += sizeOf(item) + 1;
    if (last?.[0] === 1) last.push(encodeValue(item, context));
    else parts.push([1, encodeValue(item, context)]);
  });
  before.forEach((item, index) => {
    if (!kept.has(index)) context.growth -= sizeOf(item) + 1;
  });
  return parts;
}

/** Encodes lists of equally many whole numbers as differences: such numbers are usually counts that grow. */
function differencesOf(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): readonly number[] | undefined {
  if (before.length === 0 || before.length !== after.length) return undefined;
  const differences: number[] = [];
  for (const [index, value] of after.entries()) {
    const difference = differenceOf(before[index], value);
    if (difference === undefined) return undefined;
    differences.push(difference);
  }
  return differences;
}

/** Returns the places of an item in the former list. Items are compared by value. */
function formerPlaces(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): (item: JsonValue) => number[] | undefined {
  // No item can have moved if the list is empty or has one item that differs.
  if (before.length === 0 || after.length === 0) return () => undefined;
  if (before.length === 1 && after.length === 1) return () => undefined;
  const plain = new Map<JsonValue, number[]>();
  const containers = new Map<string, number[]>();
  before.forEach((item, index) => {
    if (isContainer(item)) note(containers, JSON.stringify(item), index);
    else note(plain, item, index);
  });
  return (item) => (isContainer(item) ? containers.get(JSON.stringify(item)) : plain.get(item));
}

function note<Key>(places: Map<Key, number[]>, key: Key, index: number): void {
  const known = places.get(key);
  if (known === undefined) places.set(key, [index]);
  else known.push(index);
}

function isContainer(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

function diffObject(before: JsonObject, after: JsonObject, context: Context): Delta | undefined {
  const fieldsBefore = presentFields(before);
  const fieldsAfter = presentFields(after);
  if (isSameList(fieldsBefore, fieldsAfter)) return diffFields(before, after, fieldsAfter, context);
  const had = new Set(fieldsBefore);
  const has = new Set(fieldsAfter);
  const changes: JsonValue[] = [];
  for (const field of fieldsAfter) {
    const value = after[field] as JsonValue;
    const change = had.has(field)
      ? diff(before[field] as JsonValue, value, context)
      : replace(undefined, value, context);
    if (change === undefined) continue;
    if (!had.has(field)) context.growth += field.length + 4;
    changes.push(field, change);
  }
  const removed = fieldsBefore.filter((field) => !has.has(field));
  for (const field of removed) context.growth -= field.length + 4 + sizeOf(before[field]);
  const natural = [
    ...fieldsBefore.filter((field) => has.has(field)),
    ...fieldsAfter.filter((field) => !had.has(field)),
  ];
  const order = natural.every((field, index) => field === fieldsAfter[index]) ? [] : fieldsAfter;
  if (changes.length === 0 && removed.length === 0 && order.length === 0) return undefined;
  if (order.length > 0) return [3, changes, removed, order];
  return removed.length > 0 ? [3, changes, removed] : [3, changes];
}

/** Whether two objects have the same fields in the same order, as most successive versions have. */
function diffFields(
  before: JsonObject,
  after: JsonObject,
  fields: readonly string[],
  context: Context,
): Delta | undefined {
  const changes: JsonValue[] = [];
  for (const field of fields) {
    const change = diff(before[field] as JsonValue, after[field] as JsonValue, context);
    if (change !== undefined) changes.push(field, change);
  }
  return changes.length === 0 ? undefined : [3, changes];
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((field, index) => field === other[index]);
}

/** Whether two JSON values are equal, including the order of fields, which is stored too. */
function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return (
      one.length === other.length &&
      one.every((item: JsonValue, index) => isEqual(item, other[index]))
    );
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const fields = presentFields(one);
  return (
    isSameList(fields, presentFields(other)) &&
    fields.every((field) => isEqual(one[field], other[field]))
  );
}
