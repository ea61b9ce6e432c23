import type { ShownPart, ViewEntry } from "@self-context-manager/core/layout";
import type { LineRange } from "@self-context-manager/objects";

import type { CharRange, Visibility } from "../measure/call-view.ts";
import { charRange, joinedRanges, lineEnds } from "../measure/line-ranges.ts";

/** Notes the parts of results that an entry of a view shows, by handle. */
export function noteShown(
  entry: ViewEntry,
  contents: ReadonlyMap<string, string>,
  results: Map<string, Visibility>,
): void {
  if (entry.type === "result" && entry.form === "bare" && entry.of !== undefined)
    results.set(entry.of, "whole");
  if (entry.type !== "result" && entry.type !== "object") return;
  for (const part of entry.shows ?? [])
    notePart(results, part.of, shownOf(part, contents.get(part.of) ?? ""));
}

/** Notes an active result of which a view shows everything that is active. */
export function noteActive(
  handle: string,
  lines: readonly LineRange[] | undefined,
  contents: ReadonlyMap<string, string>,
  results: Map<string, Visibility>,
): void {
  const content = contents.get(handle) ?? "";
  const ranges = lines?.map((one) => linesIn(content, one));
  notePart(results, handle, ranges === undefined ? "whole" : joinedRanges(ranges));
}

function notePart(results: Map<string, Visibility>, handle: string, shown: Visibility): void {
  const before = results.get(handle) ?? "none";
  if (shown === "none" || before === "whole") return;
  const isMore = shown !== "whole" && before !== "none";
  results.set(handle, isMore ? joinedRanges([...before, ...shown]) : shown);
}

function shownOf({ form, head = 0, tail = 0, ...lines }: ShownPart, content: string): Visibility {
  switch (form) {
    case "whole":
      return "whole";
    case "lines":
      return [linesIn(content, lines)];
    case "part":
      return [
        { start: 0, end: head },
        { start: content.length - tail, end: content.length },
      ];
    default:
      return "none";
  }
}

function linesIn(content: string, { from = 1, to }: Partial<LineRange>): CharRange {
  const ends = lineEnds(content);
  return charRange(ends, from, to ?? ends.length);
}
