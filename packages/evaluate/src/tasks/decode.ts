import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@self-context-manager/objects";
import { EvaluateError } from "../model/evaluate-error.ts";

/** The place of a value in a file: `steps[2].text` of `task.json`. */
export interface Place {
  readonly file: string;
  /** Empty: the whole file. */
  readonly field: string;
}

/** Reads a value, or refuses it with its place. */
export type Decode<Value> = (value: JsonValue | undefined, place: Place) => Value;

/** Throws an error that names the file, the field, its value and what is allowed. */
export function refuse(place: Place, value: JsonValue | undefined, allowed: string): never {
  const field = place.field === "" ? "the file" : `field ${place.field}`;
  const json = value === undefined ? "absent" : JSON.stringify(value);
  const found = json.length > 120 ? `${json.slice(0, 119)}…` : json;
  throw new EvaluateError(
    "EVALUATE_TASK",
    `${place.file}: ${field} is ${found}; it has to be ${allowed}`,
  );
}

/** The place of a field or an item inside another place. */
export function within({ file, field }: Place, part: string | number): Place {
  if (typeof part === "number") return { file, field: `${field}[${String(part)}]` };
  return { file, field: field === "" ? part : `${field}.${part}` };
}

export const text: Decode<string> = (value, place) =>
  typeof value === "string" ? value : refuse(place, value, "a text");

/** A text that a pattern allows. */
export function textLike(pattern: RegExp, allowed: string): Decode<string> {
  return (value, place) =>
    typeof value === "string" && pattern.test(value) ? value : refuse(place, value, allowed);
}

export function oneOf<Value extends string>(values: readonly Value[]): Decode<Value> {
  return (value, place) =>
    values.find((one) => one === value) ??
    refuse(place, value, values.map((one) => JSON.stringify(one)).join(" or "));
}

/** A whole number of at least `least`. */
export function wholeFrom(least: number): Decode<number> {
  return (value, place) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? value
      : refuse(place, value, `a whole number of at least ${String(least)}`);
}

export const positive: Decode<number> = (value, place) =>
  typeof value === "number" && value > 0 ? value : refuse(place, value, "a number above 0");

export function listOf<Item>(item: Decode<Item>): Decode<readonly Item[]> {
  return (value, place) =>
    isJsonList(value)
      ? value.map((one, index) => item(one, within(place, index)))
      : refuse(place, value, "a list");
}

export function recordOf<Item>(item: Decode<Item>): Decode<Readonly<Record<string, Item>>> {
  return (value, place) => {
    if (!isJsonObject(value)) return refuse(place, value, "an object");
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, item(one, within(place, name))]),
    );
  };
}

/** An object with any fields. */
export function objectWith(value: JsonValue | undefined, place: Place): JsonObject {
  return isJsonObject(value) ? value : refuse(place, value, "an object");
}

/** An object with no other fields than those named. */
export function objectOf(
  value: JsonValue | undefined,
  place: Place,
  names: readonly string[],
): JsonObject {
  if (!isJsonObject(value)) return refuse(place, value, "an object");
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `${place.file}: field ${within(place, other).field} is not known; the fields of ${place.field || "the file"} are ${names.join(", ")}`,
    );
  }
  return value;
}
