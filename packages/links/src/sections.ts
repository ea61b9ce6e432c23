import {
  composed,
  type LineRange,
  type ParsedDocument,
  type ParsedHeading,
} from "@self-context-manager/objects";

import { folded } from "./name-keys.ts";

/** Returns a heading for comparison: in any case, without the signs that a link cannot have. */
function headingKey(heading: string): string {
  return folded(heading.replaceAll(/[#^|[\]*_`]/gu, " "));
}

/**
 * Returns the lines of a section: from its heading to the line before the next heading of the same or a higher level. Of
 * `A#B` the last part counts if no heading is called so. Undefined if none of `among` is called so; default: all headings.
 */
export function sectionOf(
  { headings }: Pick<ParsedDocument, "headings">,
  text: string,
  heading: string,
  among: readonly ParsedHeading[] = headings,
): LineRange | undefined {
  const found =
    headingNamed(among, heading) ?? headingNamed(among, heading.split("#").at(-1) ?? "");
  if (found === undefined) return undefined;
  const next = headings
    .slice(headings.indexOf(found) + 1)
    .find(({ level }) => level <= found.level);
  const from = lineOf(text, found.range[0]);
  const to = next === undefined ? lastLine(text) : lineOf(text, next.range[0]) - 1;
  return { from, to: Math.max(from, to) };
}

/** Whether a document has a heading that a link means. The name of a block, `^name`, is no heading, and counts as there. */
export function hasHeading(
  { headings }: Pick<ParsedDocument, "headings">,
  heading: string,
): boolean {
  const last = heading.split("#").at(-1) ?? "";
  return (
    last.trim().startsWith("^") ||
    (headingNamed(headings, heading) ?? headingNamed(headings, last)) !== undefined
  );
}

/** Returns the heading under which a line of a document is; undefined above the first one. */
export function headingOf(
  { headings }: Pick<ParsedDocument, "headings">,
  text: string,
  line: number,
): ParsedHeading | undefined {
  const end = endOfLine(text, line);
  return headings.findLast(({ range }) => range[0] < end);
}

/** Returns the headings or links of a text that begin on lines which may be seen. */
export function onVisibleLines<Part extends { readonly range: readonly [number, number] }>(
  parts: readonly Part[],
  text: string,
  isVisible: (line: number) => boolean,
): readonly Part[] {
  let line = 1;
  let at = 0;
  const inOrder = parts.toSorted((one, other) => one.range[0] - other.range[0]);
  return inOrder.filter(({ range }) => {
    for (let end = text.indexOf("\n", at); end !== -1 && end < range[0];) {
      line += 1;
      at = end + 1;
      end = text.indexOf("\n", at);
    }
    return isVisible(line);
  });
}

function headingNamed(
  headings: readonly ParsedHeading[],
  wanted: string,
): ParsedHeading | undefined {
  const key = headingKey(wanted);
  if (key === "") return undefined;
  return (
    headings.find(({ text }) => headingKey(text) === key) ??
    headings.find(({ text }) => anchorOf(text) === composed(wanted))
  );
}

/** The name that programs give a heading in a Markdown link: `What is it?` is `what-is-it`. */
function anchorOf(text: string): string {
  return composed(text)
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\s-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Returns the offset behind a line, from 1. */
function endOfLine(text: string, line: number): number {
  let end = -1;
  for (let passed = 0; passed < line; passed += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return text.length + 1;
  }
  return end + 1;
}

/** A line break at the end begins no line. */
function lastLine(text: string): number {
  return lineOf(text.replace(/\n$/u, ""), text.length);
}
