import type { Page } from "playwright-core";

export interface OutlineOptions {
  /** The names of elements whose contents are left out, such as the texts of messages. */
  readonly without?: RegExp;
}

/**
 * Returns the structure of a page as a screen reader gets it: roles and names, without ids and numbers, and with only
 * the first rows and items of a kind.
 */
export async function pageOutline(page: Page, options: OutlineOptions = {}): Promise<string> {
  return outlineOf(await page.locator("body").ariaSnapshot(), options);
}

/** Returns a snapshot of roles and names without what differs between two sessions of the same kind. */
export function outlineOf(snapshot: string, options: OutlineOptions = {}): string {
  const lines = snapshot.split("\n").filter((line) => !/^\s*- \/url:/u.test(line));
  return `${outline(blocksOf(lines), options).join("\n")}\n`;
}

/** A folder for temporary files. */
const folder = /\/[\w/.-]*\/scm-[\w-]+/gu;
const id = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu;
/** A hash in hexadecimal digits, whole or cut, and one in base64. */
const hash =
  /\b[\da-f]{5,64}…|\b(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{12,64}\b|(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{22}(?![\w-])/gu;
const time = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/gu;
/** A number with its separators, and the letter that shortens it. */
const figure = /[-+−]?\d+(?:[.,:\u00a0\u202f]\d+)*(?:[kMG]\b)?/gu;
/** Which of two nearly equal figures is larger depends on the lengths of folder names in the session. */
const comparison = /(?<=\b0 % )(?:above|below|more|less)\b/gu;
const equality = /\bequals (?=the provider's count)/gu;

/** The longest line; texts of the session are longer, those of the page are not. */
const longest = 160;

function plainLine(line: string): string {
  const plain = line
    .replace(folder, "/FOLDER")
    .replace(id, "ID")
    .replace(hash, "HASH")
    .replace(time, "TIME")
    .replace(figure, "0")
    .replace(comparison, "ABOVE OR BELOW")
    .replace(equality, "is 0 % ABOVE OR BELOW ");
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
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

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The roles of which a page can have any number beside each other. */
const repeated: ReadonlySet<string> = new Set(["article", "listitem", "option", "row"]);

/** How many of the same kind are kept. */
const mostOfKind = 2;

function outline(blocks: readonly Block[], options: OutlineOptions): readonly string[] {
  const lines: string[] = [];
  const seen = new Set<string>();
  const kinds = new Map<string, number>();
  for (const block of blocks) {
    const kind = kindOf(block);
    const count = (kinds.get(kind) ?? 0) + 1;
    kinds.set(kind, count);
    const text = textOf(block, options);
    if (repeated.has(roleOf(block)) && (count > mostOfKind || seen.has(text))) continue;
    seen.add(text);
    lines.push(text);
  }
  return lines;
}

function textOf({ line, inner }: Block, options: OutlineOptions): string {
  const name = /^\s*- [a-z]+ "((?:[^"\\]|\\.)*)"/u.exec(line)?.[0] ?? "";
  if (name !== "" && options.without?.test(name) === true) return `${plainLine(name)}: …`;
  return [plainLine(line), ...outline(inner, options)].join("\n");
}

/** The roles of a block and of all that is in it, without their names and texts. */
function kindOf(block: Block): string {
  return `${roleOf(block)}(${block.inner.map((one) => kindOf(one)).join(" ")})`;
}

function roleOf({ line }: Block): string {
  return /^\s*- ([a-z]+)/u.exec(line)?.[1] ?? "";
}
