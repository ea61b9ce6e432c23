/** A place in a text where a secret is: the secret itself, without its name. It has no line break. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** The name of the rule that found it. */
  readonly rule: string;
}

/**
 * Whether a value can begin at a place: not within a word. An escape sequence in JSON, such as `\n`, and one for a colour
 * end with a letter that is no part of a word.
 */
export function isBoundary(text: string, at: number): boolean {
  if (at === 0) return true;
  const code = text.charCodeAt(at - 1);
  const isWord =
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45;
  if (!isWord) return true;
  return /\\[nrt]$|\[[\d;]{0,5}m$/u.test(text.slice(Math.max(0, at - 8), at));
}
