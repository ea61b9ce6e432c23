import { type LineRange, linesOf } from "@self-context-manager/objects";

/**
 * Returns the text that the context tool `read` returns to its host: the lines that were asked for, as the host's own tool
 * shows them to the user, and after them the report (§18.1).
 */
export function readResult(text: string, range: LineRange | undefined, report: string): string {
  const lines = range === undefined ? text : linesOf(text, range);
  if (lines === "") return report;
  return `${lines}${lines.endsWith("\n") ? "" : "\n"}\n[${report}]`;
}
