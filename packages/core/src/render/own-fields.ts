import {
  type JsonValue,
  type ObjectBody,
  type ObjectMetadata,
  ownViewFields,
} from "@self-context-manager/objects";
import { rawEstimator } from "../cost/calibrated-estimator.ts";

/** Tokens that the fields of an object's own `view` may have together, with the mark of fields that are left out. */
export const mostFieldTokens = 60;

/** The mark of a value that is cut, or of fields that are left out. */
const cutMark = "…";

/**
 * Returns the fields that the `view` of an object names, as `name=value` with values of JSON, in one line. Empty if it
 * names none. The id is not shown, because the handle stands for it, and neither are the fields that the line shows
 * anyway. If not all fit, the first text that does not fit is cut, and the rest is left out.
 */
export function ownFields(body: ObjectMetadata | ObjectBody, shown: readonly string[]): string {
  const names = (ownViewFields(body) ?? []).filter(
    (name) => name !== "id" && !shown.includes(name),
  );
  const whole = names.map((name) => fieldText(name, body[name])).join(" ");
  if (fits(whole)) return whole;
  let kept = "";
  for (const name of names) {
    const next = joined(kept, fieldText(name, body[name]));
    if (!fits(joined(next, cutMark))) return joined(kept, cutField(kept, name, body[name]));
    kept = next;
  }
  return kept;
}

/** Returns the beginning of a text, as far as it fits after the fields that are kept. Other values are not divided. */
function cutField(kept: string, name: string, value: JsonValue | undefined): string {
  if (typeof value !== "string") return cutMark;
  const cut = (length: number): string => `${fieldText(name, beginning(value, length))}${cutMark}`;
  let low = 0;
  let high = Math.min(value.length, mostFieldTokens * 5);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(joined(kept, cut(middle)))) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? cutMark : cut(low);
}

/** Returns the first characters of a text, without a half of a pair at the end. */
function beginning(text: string, length: number): string {
  const part = text.slice(0, length);
  return /[\uD800-\uDBFF]$/u.test(part) ? part.slice(0, -1) : part;
}

/** Returns the estimated tokens of a field in the line of its object. */
export function fieldTokens(name: string, value: JsonValue): number {
  return rawEstimator.text(fieldText(name, value));
}

function fits(text: string): boolean {
  return rawEstimator.text(text) <= mostFieldTokens;
}

function joined(before: string, text: string): string {
  return before === "" ? text : `${before} ${text}`;
}

function fieldText(name: string, value: JsonValue | undefined): string {
  const shown = /^[\w.-]+$/u.test(name) ? name : jsonLine(name);
  return `${shown}=${jsonLine(value ?? null)}`;
}

/**
 * Returns a value as JSON without a character that ends a line, is invisible or changes the display of others: each is
 * escaped, so the value can be read back.
 */
function jsonLine(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(
    /[\p{Cc}\u061C\u2028-\u202E\u200E\u200F\u2066-\u2069\uFEFF]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
