import { madeOnce } from "./made-once.ts";
import { canonicalFields } from "./canonical-json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { groupLength, groupsMade, groupsOf, isWhole, type ListGroups } from "./list-groups.ts";
import { opaqueAt, type OpaqueInside } from "./opaque-fields.ts";
import { isReference } from "./references.ts";
import { sha256 } from "./sha256.ts";

/** A longer part is represented by its hash in the text of the value that contains it. In UTF-16 units. */
const longestPart = 1_024;

/**
 * Returns the text of a value whose SHA-256 is its hash: its canonical JSON, as the root of a hash tree (Merkle tree).
 *
 * - An inner object or list whose own text is longer than 1,024 UTF-16 units is written as `#` and the SHA-256 of that
 *   text.
 * - A list of more than 64 items is written as `#[`, its groups of 64 items, and `]`. Each group is a list.
 * - A static reference with a hash is written without its transaction (`tx_id`, `tx_time`), so that equal objects have
 *   equal hashes in every store. Opaque parts contain no references.
 *
 * The texts of frozen parts are cached. So the hash of a new version costs what was added, however long its lists are.
 */
export function treeText(value: JsonValue, opaque?: OpaqueInside): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return isList(value) ? listText(value, opaque) : objectText(value, opaque);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns the text of a value as a part of another: the text itself, or its hash if it is long. */
function partText(value: JsonValue, opaque: OpaqueInside): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!Object.isFrozen(value)) return shortened(treeText(value, opaque));
  const parts = partTexts(opaque);
  const known = parts.get(value);
  if (known !== undefined) return known;
  const text = shortened(treeText(value, opaque));
  parts.set(value, text);
  return text;
}

function shortened(text: string): string {
  return text.length <= longestPart ? text : `#${sha256(text)}`;
}

function objectText(object: JsonObject, opaque: OpaqueInside): string {
  const isBare = opaque !== true && isReference(object) && hasHash(object);
  const fields: string[] = [];
  for (const field of canonicalFields(object)) {
    const value = object[field];
    if (value === undefined || (isBare && (field === "tx_id" || field === "tx_time"))) continue;
    fields.push(`${JSON.stringify(field)}:${partText(value, opaqueAt(opaque, field))}`);
  }
  return `{${fields.join(",")}}`;
}

/** A static reference without a hash is not written without its time: nothing else in it names the version. */
function hasHash(reference: JsonObject): boolean {
  return (
    typeof reference["object_hash"] === "string" || typeof reference["content_hash"] === "string"
  );
}

function listText(list: readonly JsonValue[], opaque: OpaqueInside): string {
  if (list.length <= groupLength) return itemsText(list, opaque);
  const known = groupsMade(list);
  if (known !== undefined && isWhole(known))
    return `#[${groupsOf(known)
      .map((some) => keptGroupsText(some, opaque))
      .join(",")}]`;
  const groups: string[] = [];
  for (let start = 0; start < list.length; start += groupLength)
    groups.push(groupText(list, start, opaque));
  return `#[${groups.join(",")}]`;
}

function itemsText(items: readonly JsonValue[], opaque: OpaqueInside): string {
  if (items.every((item) => typeof item === "string")) return JSON.stringify(items);
  return `[${items.map((item) => partText(item, opaque)).join(",")}]`;
}

/** The texts of some groups of a list, cached under all of them. */
function keptGroupsText(groups: ListGroups<JsonValue>, opaque: OpaqueInside): string {
  const all = groupsTexts(opaque);
  const known = all.get(groups);
  if (known !== undefined) return known;
  const text = groups.map((group) => keptGroupText(group, opaque)).join(",");
  if (groups.every((group) => partTexts(opaque).has(group))) all.set(groups, text);
  return text;
}

/** A group that is a frozen list of its own is cached under itself. */
function keptGroupText(group: readonly JsonValue[], opaque: OpaqueInside): string {
  const parts = partTexts(opaque);
  const known = parts.get(group);
  if (known !== undefined) return known;
  const text = shortened(itemsText(group, opaque));
  if (group.every((item) => Object.isFrozen(item))) parts.set(group, text);
  return text;
}

/** A group is cached under its last item. */
function groupText(list: readonly JsonValue[], start: number, opaque: OpaqueInside): string {
  const end = Math.min(start + groupLength, list.length);
  const last = list[end - 1];
  if (typeof last !== "object" || last === null)
    return shortened(itemsText(list.slice(start, end), opaque));
  const groups = groupTexts(opaque);
  const known = groups.get(last);
  if (known !== undefined && isPartOf(list, start, end, known.items)) return known.text;
  const items = list.slice(start, end);
  const text = shortened(itemsText(items, opaque));
  if (items.every((item) => Object.isFrozen(item))) groups.set(last, { items, text });
  return text;
}

/** Whether a part of a list has the given items. A loop, because it runs over all items of each new version. */
function isPartOf(
  list: readonly JsonValue[],
  start: number,
  end: number,
  items: readonly JsonValue[],
): boolean {
  if (items.length !== end - start) return false;
  for (let index = start; index < end; index += 1)
    if (list[index] !== items[index - start]) return false;
  return true;
}

/** The texts of frozen parts, of groups of groups, and those of groups under their last item. */
const partTexts = forEachOpaque(() => new WeakMap<object, string>());
const groupsTexts = forEachOpaque(() => new WeakMap<ListGroups<JsonValue>, string>());
const groupTexts = forEachOpaque(
  () => new WeakMap<object, { readonly items: readonly JsonValue[]; readonly text: string }>(),
);

/** Separate caches by what is opaque: the same frozen part can occur at several places and be written differently. */
function forEachOpaque<Kept>(make: () => Kept): (opaque: OpaqueInside) => Kept {
  const kept = new Map<OpaqueInside, Kept>();
  return (opaque) => madeOnce(kept, opaque, make);
}
