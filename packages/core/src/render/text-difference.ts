import { structuredPatch } from "diff";

/** The lines of context beside each change. */
const context = 3;
/** Beyond so many changed lines a difference tells less than the text itself, and takes long to find. */
const longest = 2_000;

/** What changed between two texts: the hunks of a unified diff, and how many lines came and went. */
export interface TextDifference {
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/** The difference of two texts; for texts that have little in common the later one stands in full as added. */
export function textDifference(before: string, after: string): TextDifference {
  const found = structuredPatch("", "", before, after, "", "", {
    context,
    maxEditLength: longest,
  });
  if (found === undefined)
    return { patch: after, added: countLines(after), removed: countLines(before) };
  let added = 0;
  let removed = 0;
  const lines: string[] = [];
  for (const hunk of found.hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added += 1;
      if (line.startsWith("-")) removed += 1;
      lines.push(line);
    }
  }
  return { patch: lines.join("\n"), added, removed };
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
