import { type ForgottenText, sha256, type StorePrivacy } from "@self-context-manager/objects";
import { markSpans, type Span } from "./mark-spans.ts";
import { outsideMarks } from "./text-forms.ts";

/** Shorter whole texts are not known again: many other texts are equal to them. */
export const shortestWhole = 32;

/** Returns what a store keeps of a forgotten text, so that it knows it again. */
export function forgottenText(
  key: string,
  kind: ForgottenText["kind"],
  text: string,
  mark: string,
): ForgottenText {
  const known = { kind, length: text.length, hash: keyedHash(key, text), mark };
  return kind === "whole" ? known : { ...known, print: printOf(baseOf(key), text) };
}

/**
 * Returns a function that puts the marks of forgotten texts into a text (decision D69). A text without forgotten ones is
 * returned as it is.
 */
export function forgottenFilter({
  key,
  forgotten,
}: Pick<StorePrivacy, "key" | "forgotten">): (text: string) => string {
  if (forgotten.length === 0) return (text) => text;
  const wholes = byLength(forgotten.filter(({ kind }) => kind === "whole"));
  const spans = byLength(forgotten.filter(({ kind }) => kind === "span"));
  const lengths = [...spans.keys()].toSorted((one, other) => other - one);
  const base = baseOf(key);
  return (text) => {
    const trimmed = wholes.size === 0 ? text : text.trim();
    const hash = wholes.has(trimmed.length) ? keyedHash(key, trimmed) : undefined;
    const whole = wholes.get(trimmed.length)?.find((one) => one.hash === hash);
    if (whole !== undefined) return whole.mark;
    const found: Span[] = [];
    for (const length of lengths)
      found.push(...spansOf(text, length, spans.get(length) ?? [], { key, base }));
    return markSpans(text, outsideMarks(text, found));
  };
}

interface Keyed {
  readonly key: string;
  readonly base: number;
}

/** Returns the places of forgotten texts of one length: of those with the print of one, those with its hash too. */
function spansOf(
  text: string,
  length: number,
  known: readonly ForgottenText[],
  { key, base }: Keyed,
): readonly Span[] {
  if (text.length < length) return [];
  const prints = new Set(known.map(({ print }) => print));
  let power = 1;
  for (let index = 1; index < length; index += 1) power = Math.imul(power, base);
  let print = printOf(base, text.slice(0, length));
  const found: Span[] = [];
  for (let start = 0; ; start += 1) {
    if (prints.has(print)) {
      const hash = keyedHash(key, text.slice(start, start + length));
      const mark = known.find((one) => one.hash === hash)?.mark;
      if (mark !== undefined) found.push({ start, end: start + length, mark });
    }
    if (start + length >= text.length) return found;
    const first = Math.imul(text.charCodeAt(start), power);
    print = (Math.imul(print - first, base) + text.charCodeAt(start + length)) >>> 0;
  }
}

/** The polynomial of the units of a text at `base`, modulo 2^32. That of the next place follows from it in one step. */
function printOf(base: number, text: string): number {
  let print = 0;
  for (let index = 0; index < text.length; index += 1)
    print = (Math.imul(print, base) + text.charCodeAt(index)) | 0;
  return print >>> 0;
}

/** The number from which prints are made: odd, so that every unit of a text counts. */
function baseOf(key: string): number {
  return Number.parseInt(sha256(`print ${key}`).slice(0, 8), 16) | 1;
}

function keyedHash(key: string, text: string): string {
  return sha256(`${key}${sha256(`${key}${text}`)}`).slice(0, 32);
}

function byLength(texts: readonly ForgottenText[]): ReadonlyMap<number, readonly ForgottenText[]> {
  return Map.groupBy(texts, ({ length }) => length);
}
