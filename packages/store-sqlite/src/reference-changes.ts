import {
  collectReferences,
  escapePointer,
  foreignFields,
  isJsonObject,
  isReference,
  type JsonObject,
  type JsonValue,
  type LocatedReference,
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

/** Compares two versions place by place. Parts that are the same JavaScript object in both are skipped. */
export function referenceChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): ReferenceChanges {
  const changes: Changes = { removed: [], added: [], place: [] };
  compare(before, after, changes);
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
  changes: Changes,
): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, changes);
  else if (isReference(before) && isReference(after)) {
    if (before.id !== after.id || before.ref !== after.ref) replace(before, after, changes);
  } else if (isPlain(before) && isPlain(after)) compareObjects(before, after, changes);
  else replace(before, after, changes);
}

function replace(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  { place, removed, added }: Changes,
): void {
  collect(before, place, removed);
  collect(after, place, added);
}

function compareLists(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  changes: Changes,
): void {
  const length = Math.max(before.length, after.length);
  for (let index = sameStart(before, after); index < length; index += 1)
    compareAt(index, before[index], after[index], changes);
}

function compareObjects(before: JsonObject, after: JsonObject, changes: Changes): void {
  const compareField = (field: string): void => {
    if (!foreignFields.has(field)) compareAt(field, own(before, field), own(after, field), changes);
  };
  for (const field of Object.keys(before)) compareField(field);
  for (const field of Object.keys(after)) if (!Object.hasOwn(before, field)) compareField(field);
}

function compareAt(
  step: string | number,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  changes: Changes,
): void {
  if (before === after || (!holdsParts(before) && !holdsParts(after))) return;
  changes.place.push(step);
  compare(before, after, changes);
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
  into: LocatedReference[],
): void {
  if (value === undefined || !holdsParts(value)) return;
  const start = place.map((step) => `/${escapePointer(String(step))}`).join("");
  for (const located of collectReferences({ at: value })) {
    into.push({ path: start + located.path.slice("/at".length), reference: located.reference });
  }
}
