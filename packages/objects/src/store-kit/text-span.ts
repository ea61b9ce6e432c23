import { addedTo } from "../model/growing-text.ts";

/** The number of units that two texts share at their beginnings and, after that, at their ends. */
export interface TextSpan {
  readonly prefix: number;
  readonly suffix: number;
  /** The text between them in the later text. */
  readonly between: string;
}

/** Texts are first compared in slices of this many units, which the engine compares as memory. */
const block = 4096;

/** Finds the shared beginning and end of two texts. It never splits a surrogate pair, so the text between is well-formed. */
export function sharedSpan(before: string, after: string): TextSpan {
  const added = addedTo(before, after);
  if (added !== undefined) return { prefix: before.length, suffix: 0, between: added };
  // Slices are compared as memory; `startsWith` goes unit by unit.
  const isAppended = after.length >= before.length && after.slice(0, before.length) === before;
  let prefix = isAppended ? before.length : sharedPrefix(before, after);
  if (isHighSurrogate(after, prefix - 1)) prefix -= 1;
  let suffix = sharedSuffix(before, after, Math.min(before.length, after.length) - prefix);
  if (isLowSurrogate(after, after.length - suffix)) suffix -= 1;
  suffix = Math.max(0, suffix);
  return { prefix, suffix, between: after.slice(prefix, after.length - suffix) };
}

function sharedPrefix(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (
    length + block <= limit &&
    before.slice(length, length + block) === after.slice(length, length + block)
  ) {
    length += block;
  }
  while (length < limit && before.charCodeAt(length) === after.charCodeAt(length)) length += 1;
  return length;
}

function sharedSuffix(before: string, after: string, limit: number): number {
  let length = 0;
  while (length + block <= limit && tail(before, length) === tail(after, length)) length += block;
  while (
    length < limit &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  ) {
    length += 1;
  }
  return length;
}

function tail(text: string, skipped: number): string {
  return text.slice(text.length - skipped - block, text.length - skipped);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
