import type { SecretSpan } from "./secret-rule.ts";

export const privateKeyRule = "private-key";

const border = /-----(?<side>BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;

/** The ends of lines, also those that are written as escape sequences in a string. */
const lineEnd = /\r?\n|\\r\\n|\\n/g;

/** Characters of a private key that are looked at; the longest keys in use have a tenth of it. */
const most = 64 * 1024;

/** Characters from which on a line before an end without a beginning belongs to the key. */
const fullLine = 40;

/**
 * Returns the lines of private keys in a text, without the line that begins a key and the one that ends it. A number or a
 * sign before a line is no part of it. A key of which a text has only the beginning or the end is found too.
 */
export function privateKeys(text: string): readonly SecretSpan[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const found: SecretSpan[] = [];
  const borders = [...text.matchAll(border)];
  let isOpen = false;
  let last = 0;
  for (const [index, match] of borders.entries()) {
    const end = match.index + match[0].length;
    const isAdded = text[match.index - 1] === "+";
    if (match.groups?.["side"] === "BEGIN") {
      const next = borders[index + 1]?.index ?? text.length;
      found.push(...linesAfter(text, end, Math.min(next, end + most), isAdded));
      isOpen = true;
    } else {
      if (!isOpen) found.push(...linesBefore(text, last, match.index, isAdded));
      isOpen = false;
    }
    last = end;
  }
  return found;
}

/**
 * Returns the secret lines of a key from its beginning to a limit. `isAdded`: whether the lines are those of a patch, with a
 * sign before each that base64 can have too.
 */
function linesAfter(
  text: string,
  begin: number,
  limit: number,
  isAdded: boolean,
): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { at, line } of linesIn(text, begin, limit)) {
    const isFirst = at === begin;
    const span = spanIn(line, { at, isFirst, isAdded });
    if (span !== undefined) spans.push(span);
    // The text of another kind begins behind the key, of which the end is missing.
    else if (!isFirst && !isBesideKey(line)) break;
  }
  return spans;
}

interface Line {
  readonly at: number;
  readonly line: string;
}

/** Returns the lines of a part of a text, with their places. */
function* linesIn(text: string, begin: number, limit: number): Generator<Line> {
  const part = text.slice(begin, limit);
  let from = 0;
  for (const end of part.matchAll(lineEnd)) {
    yield { at: begin + from, line: part.slice(from, end.index) };
    from = end.index + end[0].length;
  }
  yield { at: begin + from, line: part.slice(from) };
}

function linesBefore(
  text: string,
  from: number,
  end: number,
  isAdded: boolean,
): readonly SecretSpan[] {
  const start = Math.max(from, end - most);
  const spans: SecretSpan[] = [];
  let hasFull = false;
  for (const { at, line } of [...linesIn(text, start, end)].toReversed()) {
    const span = spanIn(line, { at, isFirst: false, isAdded });
    if (span === undefined) {
      if (isBesideKey(line) && !hasFull) continue;
      break;
    }
    const isFull = span.end - span.start >= fullLine;
    // Only the last line of a key is short, and the checksum behind it.
    if (!isFull && hasFull) break;
    hasFull ||= isFull;
    spans.unshift(span);
  }
  return hasFull ? spans : [];
}

/** Where a line is, and what it can be. */
interface LinePlace {
  readonly at: number;
  /** Whether it is behind the beginning of the key, on the same line. */
  readonly isFirst: boolean;
  readonly isAdded: boolean;
}

/** Returns the end of a line that is base64. */
function spanIn(given: string, { at, isFirst, isAdded }: LinePlace): SecretSpan | undefined {
  const line = isAdded && given.startsWith("+") ? ` ${given.slice(1)}` : given;
  const match = /(?<![A-Za-z0-9+/=])(?<secret>=?[A-Za-z0-9+/]{2,}={0,2})[\s"',;\\]*$/u.exec(line);
  const secret = match?.groups?.["secret"];
  if (match === null || secret === undefined || isHeader(line)) return undefined;
  // The number of an empty line.
  if (/^\d+$/u.test(secret)) return undefined;
  // Words behind the beginning, such as those of a sentence that mentions it, are no key.
  if (isFirst && secret.length < fullLine) return undefined;
  const before = line.slice(0, match.index);
  if (/[A-Za-z]{2}/u.test(before) || (secret.length < 12 && /\p{L}/u.test(before)))
    return undefined;
  const start = at + match.index;
  return { start, end: start + secret.length, rule: privateKeyRule };
}

/** Whether a line can be within a key without being a part of the secret. */
function isBesideKey(line: string): boolean {
  return /^[\s\d>|:+→"',\\-]*$/u.test(line) || isHeader(line);
}

function isHeader(line: string): boolean {
  return /^[\s\d>|+→-]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): /u.test(line);
}
