import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { escapePointer, isReference, type Reference } from "../model/references.ts";

/** A value that a pattern selects, with its place as a JSON pointer. */
export interface Selected {
  readonly path: string;
  readonly value: JsonValue;
  /** The value, if it is a reference. */
  readonly reference?: Reference;
}

/** A step of a pattern: the name of a field, the number of an item, or any of them. */
export type PatternStep = string | number | typeof anyStep;

/** The step `*`. */
const anyStep: unique symbol = Symbol("any field or item");

/**
 * Reads a pattern of a field path (§9): `toolcall_refs[*]`, `turns[0].user`, `provenance.*`. A JSON pointer is a pattern,
 * too, and can have `*` for a name. Throws `TypeError` for a text that is none.
 */
export function readPattern(pattern: string): readonly PatternStep[] {
  if (pattern.startsWith("/")) {
    return pattern
      .slice(1)
      .split("/")
      .map((name) => (name === "*" ? anyStep : name.replaceAll("~1", "/").replaceAll("~0", "~")));
  }
  const steps: PatternStep[] = [];
  const step = /(?:^|\.)(?<name>[^.[\]*]+|\*)|\[(?<item>\d+|\*)\]/uy;
  while (step.lastIndex < pattern.length) {
    const at = step.lastIndex;
    const { name, item } = step.exec(pattern)?.groups ?? {};
    if (name === undefined && item === undefined) {
      throw new TypeError(
        `the pattern ${JSON.stringify(pattern)} cannot be read from character ${at + 1} on; write fields and items like turns[*].user`,
      );
    }
    if (name === "*" || item === "*") steps.push(anyStep);
    else steps.push(name ?? Number(item));
  }
  return steps;
}

/** Returns the values at the places that a pattern selects, in the order of the object. */
export function select(object: JsonObject, pattern: string): readonly Selected[] {
  let found: readonly Selected[] = [{ path: "", value: object }];
  for (const step of readPattern(pattern)) found = found.flatMap((one) => inside(one, step));
  return found;
}

function inside({ path, value }: Selected, step: PatternStep): readonly Selected[] {
  const at = (name: string, part: JsonValue | undefined): readonly Selected[] => {
    if (part === undefined) return [];
    const selected = { path: `${path}/${escapePointer(name)}`, value: part };
    return [isReference(part) ? { ...selected, reference: part } : selected];
  };
  if (isJsonList(value)) {
    if (step === anyStep) return value.flatMap((item, index) => at(String(index), item));
    return /^\d+$/u.test(String(step)) ? at(String(step), value[Number(step)]) : [];
  }
  if (!isJsonObject(value)) return [];
  if (step === anyStep) return Object.entries(value).flatMap(([name, part]) => at(name, part));
  const name = String(step);
  return Object.hasOwn(value, name) ? at(name, value[name]) : [];
}

/** Whether a pattern selects a place or a part of it; the place is a JSON pointer. */
export function selects(steps: readonly PatternStep[], path: string): boolean {
  const names = path
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return (
    names.length >= steps.length &&
    steps.every((step, index) => step === anyStep || String(step) === names[index])
  );
}
