import {
  canonicalJson,
  collectReferences,
  foreignFields,
  isJsonObject,
  isReference,
  type JsonValue,
  type LocatedReference,
  sameStart,
} from "@self-context-manager/core";

/** How the references of one version differ from those of the version before. */
export interface ReferenceChanges {
  readonly removed: readonly LocatedReference[];
  readonly added: readonly LocatedReference[];
}

/** Compares two versions place by place, and passes over parts that are the same object in both. */
export function referenceChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): ReferenceChanges {
  const changes: Changes = { removed: [], added: [] };
  compare(before, after, "", changes);
  return changes;
}

interface Changes {
  readonly removed: LocatedReference[];
  readonly added: LocatedReference[];
}

function compare(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
  changes: Changes,
): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    const [former, latter] = [before as readonly JsonValue[], after as readonly JsonValue[]];
    const length = Math.max(former.length, latter.length);
    for (let index = sameStart(former, latter); index < length; index += 1) {
      const [one, other] = [former[index], latter[index]];
      if (one !== other && (holdsParts(one) || holdsParts(other)))
        compare(one, other, `${path}/${index}`, changes);
    }
    return;
  }
  if (isReference(before) && isReference(after)) {
    if (canonicalJson(before) === canonicalJson(after)) return;
  } else if (
    isJsonObject(before) &&
    isJsonObject(after) &&
    !isReference(before) &&
    !isReference(after)
  ) {
    const compareField = (field: string): void => {
      const [former, latter] = [own(before, field), own(after, field)];
      if (former === latter || (!holdsParts(former) && !holdsParts(latter))) return;
      if (foreignFields.has(field)) return;
      const inner = `${path}/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      compare(former, latter, inner, changes);
    };
    for (const field of Object.keys(before)) compareField(field);
    for (const field of Object.keys(after)) if (!Object.hasOwn(before, field)) compareField(field);
    return;
  }
  collect(before, path, changes.removed);
  collect(after, path, changes.added);
}

/** Only what has parts can be a reference, or hold one. */
function holdsParts(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function own(
  object: { readonly [field: string]: JsonValue | undefined },
  field: string,
): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

/** Goes through core's own walk, so that what counts as a reference is said in one place. */
function collect(value: JsonValue | undefined, path: string, into: LocatedReference[]): void {
  if (value === undefined || !holdsParts(value)) return;
  for (const located of collectReferences({ at: value })) {
    into.push({ path: path + located.path.slice("/at".length), reference: located.reference });
  }
}
