import { forgottenForm, forgottenStart } from "./forgotten-mark.ts";
import type { Span } from "./mark-spans.ts";

/** A shorter text is a part of too many others to be known in another form than its own. */
const shortestForm = 4;

/** Levels of JSON within JSON in which a text is looked for. */
const deepestJson = 3;

/** How much of a text must be there beside an ellipsis: a third of it, and between so many units. */
const leastCut = { least: 9, most: 32 };

/** Finds texts in each form that a copy of them can have. */
export interface TextFinder {
  readonly find: (text: string) => readonly Span[];
  /** The length of the longest form. */
  readonly longest: number;
}

/**
 * Finds the places of texts, in each form that a copy of them can have: as they are, within the JSON of a text
 * (several times), on one line, and cut at an ellipsis, as in the line of a tool call. Not within marks of forgotten texts.
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
      return outsideMarks(text, spans);
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

/** Returns a text as it is, within the JSON of texts, and on one line. */
export function formsOf(text: string): readonly string[] {
  const forms = [text];
  for (let level = 0; level < deepestJson; level += 1)
    forms.push(JSON.stringify(forms.at(-1)).slice(1, -1));
  const oneLine = text.replaceAll(/\s+/gu, " ").trim();
  if (oneLine.length >= shortestForm) forms.push(oneLine);
  return [...new Set(forms)];
}

/** Returns where the beginning of a form is cut off by an ellipsis, and where its end follows one. */
function cutSpans(text: string, form: string, mark: string): readonly Span[] {
  const least = Math.min(leastCut.most, Math.max(leastCut.least, Math.ceil(form.length / 3)));
  if (form.length <= least || !/…|\.\.\./u.test(text)) return [];
  const spans: Span[] = [];
  const head = form.slice(0, least);
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    let end = at + least;
    while (end < text.length && text[end] === form[end - at]) end += 1;
    const isCut = text[end] === "…" || text.startsWith("...", end);
    if (end - at < form.length && isCut) spans.push({ start: at, end, mark });
  }
  const tail = form.slice(-least);
  for (let at = text.indexOf(tail); at !== -1; at = text.indexOf(tail, at + 1)) {
    const end = at + least;
    let start = at;
    while (start > 0 && text[start - 1] === form[form.length - (end - start) - 1]) start -= 1;
    const isCut = text[start - 1] === "…" || text.endsWith("...", start);
    if (end - start < form.length && isCut) spans.push({ start, end, mark });
  }
  return spans;
}

/** Returns the spans that are not within the mark of a forgotten text. */
export function outsideMarks(text: string, spans: readonly Span[]): readonly Span[] {
  if (spans.length === 0 || !text.includes(forgottenStart)) return spans;
  const marks = [...text.matchAll(forgottenForm)].map(({ 0: mark, index }) => ({
    start: index,
    end: index + mark.length,
  }));
  return spans.filter(({ start, end }) =>
    marks.every(
      (mark) => end <= mark.start || start >= mark.end || (start <= mark.start && end >= mark.end),
    ),
  );
}
