import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableObject,
  setField,
} from "../model/json.ts";

/**
 * Returns the later object of a change that `encodeChange` wrote. The earlier one stays as it is, and both share the parts
 * that did not change. Throws a `RangeError` for a change that does not fit the object.
 */
export function applyChange(before: JsonObject, change: JsonValue): JsonObject {
  const { change: changed = {}, remove = [], set = {} } = partsOf(change, objectParts);
  if (!isJsonObject(changed) || !isJsonList(remove) || !isJsonObject(set)) throw unfit("its form");
  const after: MutableObject = { ...before };
  for (const field of remove) {
    if (typeof field !== "string" || !Object.hasOwn(after, field))
      throw unfit(`removed field ${JSON.stringify(field)}`);
    delete after[field];
  }
  for (const [field, inner] of Object.entries(changed)) {
    const former = Object.hasOwn(after, field) ? after[field] : undefined;
    setField(after, field, changedValue(former, inner ?? null));
  }
  for (const [field, value] of Object.entries(set)) setField(after, field, value);
  return after;
}

const objectParts: ReadonlySet<string> = new Set(["change", "remove", "set"]);
const spanParts: ReadonlySet<string> = new Set(["end", "start", "with"]);
const itemParts: ReadonlySet<string> = new Set(["at", "change"]);

function changedValue(before: JsonValue | undefined, change: JsonValue): JsonValue {
  if (typeof before === "string") {
    const { start, end, with: text } = spanOf(change, 0, before.length);
    if (typeof text !== "string") throw unfit("the text of a span");
    return before.slice(0, start) + text + before.slice(end);
  }
  if (isJsonList(before)) return changedList(before, change);
  if (isJsonObject(before)) return applyChange(before, change);
  throw unfit("a changed field");
}

function changedList(before: readonly JsonValue[], changes: JsonValue): JsonValue {
  if (!isJsonList(changes)) throw unfit("the changes of a list");
  const after: JsonValue[] = [];
  let reached = 0;
  const keepUpTo = (place: number): void => {
    for (; reached < place; reached += 1) after.push(before[reached] ?? null);
  };
  for (const change of changes) {
    if (isJsonObject(change) && Object.hasOwn(change, "at")) {
      const { at, change: inner = null } = partsOf(change, itemParts);
      const place = placeIn(at, reached, before.length - 1);
      keepUpTo(place);
      after.push(changedValue(before[place], inner));
      reached += 1;
      continue;
    }
    const { start, end, with: items } = spanOf(change, reached, before.length);
    if (!isJsonList(items)) throw unfit("the items of a span");
    keepUpTo(start);
    for (const item of items) after.push(item);
    reached = end;
  }
  keepUpTo(before.length);
  return after;
}

function spanOf(
  change: JsonValue,
  least: number,
  length: number,
): { readonly start: number; readonly end: number; readonly with: JsonValue } {
  const { start, end, with: value = null } = partsOf(change, spanParts);
  const first = placeIn(start, least, length);
  return { start: first, end: placeIn(end, first, length), with: value };
}

function placeIn(value: JsonValue | undefined, least: number, most: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
    throw unfit(`place ${JSON.stringify(value ?? null)}`);
  return value;
}

function partsOf(change: JsonValue, known: ReadonlySet<string>): JsonObject {
  if (!isJsonObject(change)) throw unfit("its form");
  const other = Object.keys(change).find((name) => !known.has(name));
  if (other !== undefined) throw unfit(`part ${JSON.stringify(other)}`);
  return change;
}

function unfit(what: string): RangeError {
  return new RangeError(`${what.slice(0, 80)} does not fit the earlier version`);
}
