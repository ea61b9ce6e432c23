/**
 * Returns a text as one line: each run of white space and control characters becomes one space, and invisible characters
 * that change the display of others are removed.
 */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "");
}
