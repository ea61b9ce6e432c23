import { canonicalFields } from "../model/canonical-json.ts";
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  presentFields,
} from "../model/json.ts";
import { opaqueAt, type OpaqueInside } from "../model/opaque-fields.ts";
import { sameStart } from "../store-kit/same-start.ts";
import { sharedSpan } from "../store-kit/text-span.ts";
import { unlikeSpans, type UnlikeSpan } from "./align-items.ts";
import { hasSameJson, isLonger, lineJson } from "./line-json.ts";

/**
 * Returns the JSON of the change from one object to another, which `applyChange` reads. The fields in `always` are written
 * even if they are equal.
 *
 * The result depends on the JSON of both objects alone, in which only opaque fields have an order. It is fast if equal parts
 * are identical.
 */
export function encodeChange(
  before: JsonObject,
  after: JsonObject,
  opaque: OpaqueInside,
  always: ReadonlySet<string>,
): string {
  const changed: string[] = [];
  const set: string[] = [];
  for (const field of opaque === true ? presentFields(after) : canonicalFields(after)) {
    const value = after[field] ?? null;
    const within = opaqueAt(opaque, field);
    const former = Object.hasOwn(before, field) ? before[field] : undefined;
    const isKept = former !== undefined && !always.has(field);
    if (isKept && hasSameJson(former, value, within)) continue;
    const change = isKept ? changeOf(former, value, within) : undefined;
    if (change === undefined) set.push(`${JSON.stringify(field)}:${lineJson(value, within)}`);
    else changed.push(`${JSON.stringify(field)}:${change}`);
  }
  const removed = canonicalFields(before).filter(
    (field) => !Object.hasOwn(after, field) || after[field] === undefined,
  );
  const parts = [
    ...(changed.length > 0 ? [`"change":{${changed.join(",")}}`] : []),
    ...(removed.length > 0 ? [`"remove":${JSON.stringify(removed)}`] : []),
    ...(set.length > 0 ? [`"set":{${set.join(",")}}`] : []),
  ];
  return `{${parts.join(",")}}`;
}

const none: ReadonlySet<string> = new Set();

/** Returns the JSON of the change between values that differ; undefined if it is not shorter than the later value. */
function changeOf(before: JsonValue, after: JsonValue, opaque: OpaqueInside): string | undefined {
  let change: string | undefined;
  if (typeof before === "string" && typeof after === "string") {
    change = changeOfText(before, after);
  } else if (isJsonList(before) && isJsonList(after)) {
    change = changeOfList(before, after, opaque);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    // New fields come last, so another order can only be written with the whole value.
    if (opaque !== true || keepsOrder(before, after))
      change = encodeChange(before, after, opaque, none);
  }
  return change !== undefined && isLonger(after, change.length) ? change : undefined;
}

function keepsOrder(before: JsonObject, after: JsonObject): boolean {
  const fields = presentFields(after);
  const kept = presentFields(before).filter(
    (field) => Object.hasOwn(after, field) && after[field] !== undefined,
  );
  return kept.every((field, index) => field === fields[index]);
}

function changeOfText(before: string, after: string): string {
  const { prefix, suffix, between } = sharedSpan(before, after);
  return replacement(prefix, before.length - suffix, JSON.stringify(between));
}

function replacement(start: number, end: number, json: string): string {
  return `{"end":${end},"start":${start},"with":${json}}`;
}

function changeOfList(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  opaque: OpaqueInside,
): string {
  const shortest = Math.min(before.length, after.length);
  let start = sameStart(before, after);
  while (start < shortest && hasSameJson(before[start], after[start], opaque)) start += 1;
  let end = 0;
  while (end < shortest - start && hasSameJson(before.at(-1 - end), after.at(-1 - end), opaque))
    end += 1;
  const whole: UnlikeSpan = {
    before: [start, before.length - end],
    after: [start, after.length - end],
  };
  const changes = partsOf(whole, before, after, opaque).flatMap((span) =>
    changesIn(span, before, after, opaque),
  );
  return `[${changes.join(",")}]`;
}

/** Splits a span at the items that are in both lists, such as those of a window that moves on. */
function partsOf(
  span: UnlikeSpan,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  opaque: OpaqueInside,
): readonly UnlikeSpan[] {
  const former = before.slice(...span.before);
  const items = after.slice(...span.after);
  // No item can be in both lists.
  if (former.length === 0 || items.length === 0 || former.length + items.length === 2)
    return [span];
  const start = span.before[0];
  const textOf = (item: JsonValue): string => lineJson(item, opaque);
  return unlikeSpans(former.map(textOf), items.map(textOf)).map((part) => ({
    before: [start + part.before[0], start + part.before[1]],
    after: [start + part.after[0], start + part.after[1]],
  }));
}

/** Items are changed one by one as long as that is shorter; the rest of the span is replaced. */
function changesIn(
  { before: [start, end], after: [place, last] }: UnlikeSpan,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  opaque: OpaqueInside,
): readonly string[] {
  const changes: string[] = [];
  let done = 0;
  for (; start + done < end && place + done < last; done += 1) {
    const former = before[start + done] ?? null;
    const change = changeOf(former, after[place + done] ?? null, opaque);
    if (change === undefined) break;
    changes.push(`{"at":${start + done},"change":${change}}`);
  }
  if (start + done < end || place + done < last) {
    const items = lineJson(after.slice(place + done, last), opaque);
    changes.push(replacement(start + done, end, items));
  }
  return changes;
}
