import type { Span } from "./mark-spans.ts";

/** Units of a text at a cut that are enough to know it: less is in many other texts. */
const leastCut = 6;

/**
 * Returns the places where texts stand, in each form that a copy of them can have: as they are, within the JSON of a text
 * (also twice), and cut at an end of the text or at an ellipsis, as in the line of a tool call.
 */
export function textFinder(
  texts: Iterable<string>,
  mark: string,
): (text: string) => readonly Span[] {
  const forms = [...new Set([...texts].flatMap(formsOf))].toSorted(
    (one, other) => other.length - one.length,
  );
  return (text) => {
    const spans: Span[] = [];
    for (const form of forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
        spans.push({ start: at, end: at + form.length, mark });
      spans.push(...cutSpans(text, form, mark));
    }
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
