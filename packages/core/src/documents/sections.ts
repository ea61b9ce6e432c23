import type { LineRange, ParsedDocument, ParsedHeading } from "@self-context-manager/objects";

import { folded } from "./name-keys.ts";

/** Returns a heading for comparison: in any case, without the signs that a link cannot have. */
function headingKey(heading: string): string {
  return folded(heading.replaceAll(/[#^|[\]*_`]/gu, " "));
}

/**
 * Returns the lines of a section: from its heading to the line before the next heading of the same or a higher level. Of
 * `A#B` the last part counts if no heading is called so. Undefined if the document has no such heading.
 */
export function sectionOf(
  { headings }: Pick<ParsedDocument, "headings">,
  text: string,
  heading: string,
): LineRange | undefined {
  const at = headingAt(headings, heading) ?? headingAt(headings, heading.split("#").at(-1) ?? "");
  const found = at === undefined ? undefined : headings[at];
  if (at === undefined || found === undefined) return undefined;
  const next = headings.slice(at + 1).find(({ level }) => level <= found.level);
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
    (headingAt(headings, heading) ?? headingAt(headings, last)) !== undefined
  );
}

/** Returns the heading under which a line of a document is; undefined above the first one. */
export function headingOf(
  { headings }: Pick<ParsedDocument, "headings">,
  text: string,
  line: number,
): string | undefined {
  return headings.findLast(({ range }) => lineOf(text, range[0]) <= line)?.text;
}

function headingAt(headings: readonly ParsedHeading[], wanted: string): number | undefined {
  const key = headingKey(wanted);
  if (key === "") return undefined;
  const byText = headings.findIndex(({ text }) => headingKey(text) === key);
  const at = byText === -1 ? headings.findIndex(({ text }) => anchorOf(text) === wanted) : byText;
  return at === -1 ? undefined : at;
}

/** The name that programs give a heading in a Markdown link: `What is it?` is `what-is-it`. */
function anchorOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\s-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** A line break at the end begins no line. */
function lastLine(text: string): number {
  return lineOf(text.replace(/\n$/u, ""), text.length);
}
