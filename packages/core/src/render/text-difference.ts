import { structuredPatch } from "diff";

/** Lines of context before and after each change. */
const context = 3;
/**
 * Number of changed lines above which no diff is computed. Such a diff shows less than the text itself and takes long
 * to compute.
 */
const longest = 2_000;

/** The difference of two texts: the hunks of a unified diff, and the numbers of added and removed lines. */
export interface TextDifference {
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/**
 * Returns the difference of two texts. If the texts have little in common, the later one is returned in full as added.
 */
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

/**
 * Returns the difference of two texts if it is shorter than the later one by so much that it is worth reading. Undefined
 * if the later text is shown instead.
 */
export function shorterDifference(before: string, after: string): TextDifference | undefined {
  const difference = textDifference(before, after);
  return difference.patch.length < after.length * 0.7 ? difference : undefined;
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
