import {
  collectReferences,
  escapePointer,
  opaqueAt,
  isJsonObject,
  isReference,
  type JsonObject,
  type JsonValue,
  type LocatedReference,
  opaqueFields,
  type OpaqueInside,
  sameStart,
} from "@self-context-manager/objects";

/**
 * The differences between the references of two consecutive versions, in the columns of `refs`: target, place and kind.
 * The other fields of a reference are read from the latest version.
 */
export interface ReferenceChanges {
  readonly removed: readonly LocatedReference[];
  readonly added: readonly LocatedReference[];
}

/**
 * Compares two versions of an object place by place. Parts that are the same JavaScript object in both are skipped.
 */
export function referenceChanges(
  before: JsonObject | undefined,
  after: JsonObject,
): ReferenceChanges {
  const changes: Changes = { removed: [], added: [], place: [] };
  const opaque = opaqueFields(after);
  if (before === undefined) collect(after, [], opaque, changes.added);
  else if (opaqueFields(before) === opaque) compare(before, after, opaque, changes);
  else {
    // Another type: what is a reference in one version can be opaque in the other.
    collect(before, [], opaqueFields(before), changes.removed);
    collect(after, [], opaque, changes.added);
  }
  return changes;
}

interface Changes {
  readonly removed: LocatedReference[];
  readonly added: LocatedReference[];
  /** The current place of the comparison, as field names and list indexes. */
  readonly place: (string | number)[];
}

function compare(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  opaque: OpaqueInside,
  changes: Changes,
): void {
  if (before === after || opaque === true) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, opaque, changes);
  else if (isReference(before) && isReference(after)) {
    if (before.id !== after.id || before.ref !== after.ref) replace(before, after, opaque, changes);
  } else if (isPlain(before) && isPlain(after)) compareObjects(before, after, opaque, changes);
  else replace(before, after, opaque, changes);
}

function replace(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  opaque: OpaqueInside,
  { place, removed, added }: Changes,
): void {
  collect(before, place, opaque, removed);
  collect(after, place, opaque, added);
}

function compareLists(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  opaque: OpaqueInside,
  changes: Changes,
): void {
  const length = Math.max(before.length, after.length);
  for (let index = sameStart(before, after); index < length; index += 1)
    compareAt(index, before[index], after[index], opaque, changes);
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  opaque: OpaqueInside,
  changes: Changes,
): void {
  const compareField = (field: string): void => {
    compareAt(field, own(before, field), own(after, field), opaqueAt(opaque, field), changes);
  };
  for (const field of Object.keys(before)) compareField(field);
  for (const field of Object.keys(after)) if (!Object.hasOwn(before, field)) compareField(field);
}

function compareAt(
  step: string | number,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  opaque: OpaqueInside,
  changes: Changes,
): void {
  if (before === after || opaque === true || (!holdsParts(before) && !holdsParts(after))) return;
  changes.place.push(step);
  compare(before, after, opaque, changes);
  changes.place.pop();
}

/** Whether a value is an object that is not a reference. */
function isPlain(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && !isReference(value);
}

/** Whether a value has parts. Other values are not references and contain none. */
function holdsParts(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function own(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

/** Collects the references of a value with `collectReferences`, so that one function decides what a reference is. */
function collect(
  value: JsonValue | undefined,
  place: Changes["place"],
  opaque: OpaqueInside,
  into: LocatedReference[],
): void {
  if (value === undefined || !holdsParts(value)) return;
  const start = place.map((step) => `/${escapePointer(String(step))}`).join("");
  // The value itself can be a reference or a list, so it is searched as the field of an object.
  const inObject: OpaqueInside = opaque === undefined ? undefined : { at: opaque };
  for (const located of collectReferences({ at: value }, inObject)) {
    into.push({ path: start + located.path.slice("/at".length), reference: located.reference });
  }
}
