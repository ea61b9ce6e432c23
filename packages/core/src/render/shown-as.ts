import {
  composed,
  type ObjectBody,
  type ObjectMetadata,
  oneLine,
} from "@self-context-manager/objects";
import { cutMark } from "./name-width.ts";
import { shortName } from "./short-name.ts";

/**
 * Returns how lines show an object by a text: as its whole name, or as a cut one with the mark for each missing part. It
 * is undefined if no line shows the object so. A line can have the nickname in brackets after the name.
 */
export function shownAs(
  workspace: string,
  body: ObjectBody | ObjectMetadata,
  text: string,
): "whole" | "cut" | undefined {
  const name = shortName(workspace, body, Number.POSITIVE_INFINITY);
  const names =
    body.nickname === undefined ? [name] : [name, body.nickname, `${name} (${body.nickname})`];
  const wanted = compared(text);
  const whole = names.map(compared);
  if (whole.includes(wanted)) return "whole";
  const parts = wanted.split(cutMark);
  return whole.some((one) => hasInOrder(one, parts)) ? "cut" : undefined;
}

function compared(name: string): string {
  return composed(oneLine(name).trim());
}

/** Whether a name begins with the first part, ends with the last one, and has the others between them in their order. */
function hasInOrder(name: string, [first = "", ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined || !name.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  // Something is missing at the last mark.
  return name.length > from + last.length && name.endsWith(last);
}
