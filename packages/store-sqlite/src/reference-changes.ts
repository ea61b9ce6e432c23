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
 * How the references of one version differ from those of the version before, as far as a row of `refs` tells them apart:
 * by target, place and kind. The rest of a reference is read from the latest version.
 */
export interface ReferenceChanges {
  readonly removed: readonly LocatedReference[];
  readonly added: readonly LocatedReference[];
}

/** Compares two versions place by place, and passes over parts that are the same object in both. */
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
  /** Where the comparison stands: fields, and indexes of lists. */
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

/** An object that is no reference. */
function isPlain(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && !isReference(value);
}

/** Only what has parts can be a reference, or hold one. */
function holdsParts(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function own(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

/** Goes through core's own walk, so that what counts as a reference is said in one place. */
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
