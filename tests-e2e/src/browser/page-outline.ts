import type { Page } from "playwright-core";

/**
 * Returns the structure of a page as a screen reader gets it: roles and names, without ids and numbers. Of items of a
 * list or rows of a table that are then the same, only the first is kept.
 */
export async function pageOutline(page: Page): Promise<string> {
  return outlineOf(await page.locator("body").ariaSnapshot());
}

/** Returns a snapshot of roles and names without what differs between two sessions of the same kind. */
export function outlineOf(snapshot: string): string {
  const lines = snapshot
    .split("\n")
    .filter((line) => !/^\s*- \/url:/u.test(line))
    .map((line) => withoutFigures(line));
  return `${withoutRepeats(blocksOf(lines)).join("\n")}\n`;
}

const id = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu;
const hash = /\b[\da-f]{12,64}\b/gu;
const time = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/gu;
/** A number with its separators, and the letter that shortens it. */
const figure = /[-+−]?\d+(?:[.,:\u00a0\u202f]\d+)*(?:[kMG]\b)?/gu;

function withoutFigures(line: string): string {
  return line.replace(id, "ID").replace(hash, "HASH").replace(time, "TIME").replace(figure, "0");
}

/** A line with the lines below it that are further to the right. */
interface Block {
  readonly line: string;
  readonly inner: readonly Block[];
}

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? "";
    let end = index + 1;
    while (end < lines.length && indentOf(lines[end] ?? "") > indentOf(line)) end += 1;
    blocks.push({ line, inner: blocksOf(lines.slice(index + 1, end)) });
    index = end;
  }
  return blocks;
}

function withoutRepeats(blocks: readonly Block[]): readonly string[] {
  const lines: string[] = [];
  const seen = new Set<string>();
  for (const { line, inner } of blocks) {
    const text = [line, ...withoutRepeats(inner)].join("\n");
    if (seen.has(text)) continue;
    seen.add(text);
    lines.push(text);
  }
  return lines;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
