import type { Span } from "./mark-spans.ts";

/** Units of a text at a cut that are enough to know it: less is in many other texts. */
const leastCut = 6;

/** Finds texts in each form that a copy of them can have. */
export interface TextFinder {
  readonly find: (text: string) => readonly Span[];
  /** The length of the longest form. */
  readonly longest: number;
}

/**
 * Finds the places of texts, in each form that a copy of them can have: as they are, within the JSON of a text
 * (also twice), and cut at an end of the text or at an ellipsis, as in the line of a tool call.
 */
export function textFinder(texts: Iterable<string>, mark: string): TextFinder {
  const forms = [...new Set([...texts].flatMap(formsOf))].toSorted(
    (one, other) => other.length - one.length,
  );
  return {
    longest: forms[0]?.length ?? 0,
    find(text) {
      const spans: Span[] = [];
      for (const form of forms) {
        for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
          spans.push({ start: at, end: at + form.length, mark });
        spans.push(...cutSpans(text, form, mark));
      }
      return spans;
    },
  };
}

/** A text that grew from version to version, with the places that were found in it. */
interface GrownText {
  readonly text: string;
  readonly spans: readonly Span[];
}

/**
 * Returns a function that finds the same as a finder. Of a text that begins with the one before, only the end is searched:
 * the content of a long chat is in each of its versions.
 */
export function growingFinder(finder: TextFinder): (text: string) => readonly Span[] {
  let last: GrownText = { text: "", spans: [] };
  return (text) => {
    const isGrown = last.text !== "" && text.startsWith(last.text);
    // A form that the end of the former text has cut begins behind this place.
    const from = isGrown ? Math.max(0, last.text.length - finder.longest) : 0;
    const later = finder
      .find(text.slice(from))
      .map(({ start, end, mark }) => ({ start: start + from, end: end + from, mark }))
      // At the beginning of the slice, the end of a form seems to follow a cut.
      .filter(({ start }) => from === 0 || start > from);
    const spans = from > 0 ? [...last.spans.filter(({ start }) => start <= from), ...later] : later;
    last = { text, spans };
    return spans;
  };
}

function formsOf(text: string): readonly string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  return [text, inJson, JSON.stringify(inJson).slice(1, -1), text.replaceAll(/\s+/gu, " ").trim()];
}

/** Returns where the beginning of a form is cut off, and where its end follows a cut. */
function cutSpans(text: string, form: string, mark: string): readonly Span[] {
  if (form.length <= leastCut) return [];
  const spans: Span[] = [];
  const head = form.slice(0, leastCut);
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    let end = at + leastCut;
    while (end < text.length && text[end] === form[end - at]) end += 1;
    if (end - at < form.length && isCut(text, end)) spans.push({ start: at, end, mark });
  }
  const tail = form.slice(-leastCut);
  for (let at = text.indexOf(tail); at !== -1; at = text.indexOf(tail, at + 1)) {
    const end = at + leastCut;
    let start = at;
    while (start > 0 && text[start - 1] === form[form.length - (end - start) - 1]) start -= 1;
    if (end - start < form.length && (start === 0 || text[start - 1] === "…"))
      spans.push({ start, end, mark });
  }
  return spans;
}

function isCut(text: string, end: number): boolean {
  return end === text.length || text[end] === "…" || text.startsWith("...", end);
}
