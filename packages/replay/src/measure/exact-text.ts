import { isTextToFind } from "@self-context-manager/core/rehearsal";

import type { Words } from "./words.ts";

/** The beginning of a patch, and the line break after it: a real one, or one that a string of a program writes out. */
const patchStart = /\*\*\* Begin Patch(\r?\n|\\n)/gu;
const patchEnd = "*** End Patch";

/** A part of a text in UTF-16 units; `end` is excluded. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns, for each word of an argument, whether it is in text that must match exactly: in the text that an edit finds
 * and replaces, or in a context line or removed line of a patch. `name` is the name of the argument.
 */
export function exactWords(name: string, text: string, words: Words): readonly boolean[] {
  if (isTextToFind(name)) return words.ids.map(() => true);
  const parts = matchedLines(text);
  if (parts.length === 0) return [];
  let at = 0;
  return words.starts.map((start) => {
    while ((parts[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    return (parts[at]?.start ?? Number.POSITIVE_INFINITY) <= start;
  });
}

/** Returns the context lines and the removed lines of the patches in a text, in order. */
function matchedLines(text: string): readonly Part[] {
  return [...text.matchAll(patchStart)].flatMap(({ 0: opening, 1: lineBreak = "\n", index }) => {
    const start = index + opening.length;
    const found = text.indexOf(patchEnd, start);
    const end = found === -1 ? text.length : found;
    const lines = text.slice(start, end).split(lineBreak);
    let from = start;
    return lines.flatMap((line): readonly Part[] => {
      const part = { start: from, end: from + line.length };
      from = part.end + lineBreak.length;
      return line.startsWith(" ") || line.startsWith("-") ? [part] : [];
    });
  });
}
