import { lineCount, type LineRange, linesOf } from "@self-context-manager/objects";
import type { NamedObject, PoolEntry } from "../view/pool-entry.ts";
import { nameWeights, shortName } from "./short-name.ts";

/** Returns the header of a content block: `f12 src/index.ts v3`. Without a line range it has at most 12 tokens. */
export function blockHeader(
  entry: NamedObject,
  workspace: string,
  range: LineRange | undefined,
  lines: number,
): string {
  const { body, version } = entry.stored;
  const name = shortName(workspace, body, nameWeights.header);
  const part = range === undefined ? "" : ` lines ${range.from}-${range.to} of ${lines}`;
  return `${entry.handle} ${name}${body.type === "toolcall" ? "" : ` v${version}`}${part}`;
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
  entry: PoolEntry,
  workspace: string,
  text: string,
  range: LineRange | undefined,
): string {
  const header = blockHeader(entry, workspace, range, range === undefined ? 0 : lineCount(text));
  return `${header}\n${fenced(range === undefined ? text : linesOf(text, range))}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/~{3,}/gu) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
