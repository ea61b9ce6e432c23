/** What the host writes at the end of a text that it has cut. Its own end can be cut too. */
export const cutMark: RegExp = /\[\.\.\. \d+ (?:more characters|chars) truncated;[^\]]*\]?$/u;

/** What the host writes in the middle of a text whose end it keeps, and the end. */
const omittedMiddle = /\n\n[^\n]*\[\.\.\. middle content omitted[^\]]*\]\n\n[\s\S]*$/u;

/** What the host writes instead of a whole result. */
const elidedMark = /^\[tool result elided:[^\]]*\]$/u;

/** Returns the beginning that the host has left of a text that it cut; undefined if it did not cut the text. */
export function leftOfCut(text: string): string | undefined {
  if (elidedMark.test(text)) return "";
  return cutMark.test(text) ? text.replace(cutMark, "").replace(omittedMiddle, "") : undefined;
}

/** Whether a text can begin so. The host can have cut it already when it wrote it. */
export function beginsWith(whole: string, left: string): boolean {
  return whole.startsWith(left) || left.startsWith(whole.replace(cutMark, ""));
}
