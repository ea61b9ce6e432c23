import { lineCount, type LineRange } from "@self-context-manager/objects";

/** How a host writes the text of a file into the result of its tool for reading files. */
export interface FileRendering {
  /** The argument with the number of the first line, from 1. Default: `offset`. */
  readonly firstLine?: string;
  /** Matches the notice at the end of a result that shows a part of the file, with the line feeds before it. */
  readonly notice?: RegExp;
  /** Matches the text that the host writes before each line, such as its number. Default: none. */
  readonly linePrefix?: RegExp;
}

/** The lines of a file that a result shows; without a range, all of them. */
export interface RenderedLines {
  readonly range?: LineRange;
}

/**
 * Returns the lines of a file that a result shows, if the result is the host's rendering of these lines and contains
 * nothing else. Undefined for any other result: another tool or extension can have changed it, or it can be the text of
 * another file.
 */
export function renderedLines(
  result: string,
  text: string,
  args: { readonly [name: string]: unknown },
  { firstLine = "offset", notice, linePrefix }: FileRendering = {},
): RenderedLines | undefined {
  const from = lineNumber(args[firstLine]);
  const whole = linesFrom(from, withoutPrefixes(result, linePrefix), text);
  // The end of a file can look like the notice of the host.
  if (whole !== undefined || notice === undefined) return whole;
  return linesFrom(from, withoutPrefixes(withoutEnd(result, notice), linePrefix), text);
}

/** Returns the lines of a text that are shown, if the text has exactly these from a line on. */
function linesFrom(
  from: number,
  shown: string | undefined,
  text: string,
): RenderedLines | undefined {
  const start = startOfLine(text, from);
  if (shown === undefined || start === undefined || !text.startsWith(shown, start))
    return undefined;
  if (shown === "") return text === "" ? {} : undefined;
  const end = start + shown.length;
  const isAtLineEnd = end === text.length || shown.endsWith("\n") || text[end] === "\n";
  if (!isAtLineEnd) return undefined;
  const isAll =
    start === 0 && (end === text.length || (end === text.length - 1 && text.endsWith("\n")));
  return isAll ? {} : { range: { from, to: from + lineCount(shown) - 1 } };
}

function withoutEnd(text: string, pattern: RegExp): string {
  const match = pattern.exec(text);
  return match !== null && match.index + match[0].length === text.length
    ? text.slice(0, match.index)
    : text;
}

/** Returns a text without the prefix of each line, or undefined if a line has none. */
function withoutPrefixes(text: string, prefix: RegExp | undefined): string | undefined {
  if (prefix === undefined) return text;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const match = prefix.exec(line);
    if (match?.index !== 0) return undefined;
    lines.push(line.slice(match[0].length));
  }
  return lines.join("\n");
}

/** Hosts count a first line below 1 as 1. */
function lineNumber(value: unknown): number {
  return typeof value === "number" && value >= 1 ? Math.floor(value) : 1;
}

function startOfLine(text: string, line: number): number | undefined {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const next = text.indexOf("\n", start);
    if (next === -1) return undefined;
    start = next + 1;
  }
  return start;
}
