/** A part of a text that is replaced by a mark: from `start` to before `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}

/**
 * Returns a text with marks instead of spans. Of spans that overlap, the one that begins first counts, and of those the
 * longest; the others reach to its end at least. A mark has one line, so a span of several lines gets one mark for each
 * line with text: the numbers of the lines stay.
 */
export function markSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const sorted = spans.toSorted((one, other) => one.start - other.start || other.end - one.end);
  let marked = "";
  let reached = 0;
  for (const { start, end, mark } of sorted) {
    if (end <= reached) continue;
    const from = Math.max(start, reached);
    marked +=
      text.slice(reached, from) + text.slice(from, end).replaceAll(/[^\r\n]+/gu, () => mark);
    reached = end;
  }
  return marked + text.slice(reached);
}
