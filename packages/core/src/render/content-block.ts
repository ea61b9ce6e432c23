import { lineCount, type LineRange, linesOf } from "@self-context-manager/objects";
import { pooledHeaders, titles } from "../lines/object-lines.ts";
import type { NamedObject } from "../view/pool-entry.ts";
import { nameWeights, shortName } from "./short-name.ts";

/** Returns line ranges as text: `lines 10-19, 2500-2509 of 5000`. */
export function rangesText(ranges: readonly LineRange[], lines: number): string {
  return `lines ${ranges.map(({ from, to }) => `${from}-${to}`).join(", ")} of ${lines}`;
}

/** Returns the header of a content block: `f12 src/index.ts v3`. Without line ranges it has at most 12 tokens, if the name is ASCII. */
export function blockHeader(
  entry: NamedObject,
  workspace: string,
  ranges: readonly LineRange[] | undefined,
  lines: number,
): string {
  const { body, version } = entry.stored;
  const name = shortName(workspace, body, nameWeights.header);
  const title =
    body.type === "toolcall"
      ? titles.call.write(entry.handle, name)
      : titles.file.write(entry.handle, name, version);
  return ranges === undefined ? title : pooledHeaders.lines.write(title, ranges, lines);
}

/**
 * Returns a text inside a fence that the text can neither close nor imitate: a row of tildes longer than any in the
 * text.
 */
export function fenced(text: string): string {
  const fence = "~".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`;
}

/** Returns the content block of an object's text or of a range of its lines. */
export function contentBlock(
  entry: NamedObject,
  workspace: string,
  text: string,
  range: LineRange | undefined,
): string {
  if (range === undefined) return `${blockHeader(entry, workspace, undefined, 0)}\n${fenced(text)}`;
  const header = blockHeader(entry, workspace, [range], lineCount(text));
  return `${header}\n${fenced(linesOf(text, range))}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/~{3,}/gu) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
