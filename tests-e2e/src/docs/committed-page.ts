import { readFile, writeFile } from "node:fs/promises";

/** The command that writes a generated page again. */
const updateCommand = "SCM_UPDATE_DOCS=1 npm run dev -- e2e";

/** Returns the committed text of a page. `SCM_UPDATE_DOCS=1` writes the page first. */
export async function committedPage(name: string, page: string): Promise<string> {
  const url = new URL(`../../../docs/architecture/${name}`, import.meta.url);
  if (process.env["SCM_UPDATE_DOCS"] === "1") await writeFile(url, page);
  return await readFile(url, "utf8");
}

/** The note at the head of a generated page. */
export function generatedNote(test: string): string {
  return `This page is generated from real sessions by \`tests-e2e/test/${test}\`, which fails if the page is out of date. \`${updateCommand} ${test}\` writes the page again.`;
}

/** A fenced code block that its text cannot close. */
export function codeBlock(language: string, text: string): string {
  const runs = text.match(/`{3,}/gu) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text.replace(/\n$/u, "")}\n${fence}`;
}

/** A Markdown table with padded columns, as the formatter writes it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

const lineWidth = 100;

/** JSON as the formatter writes it: a list of scalars is on one line if it fits, and numbers fill their lines. */
export function prettyJson(value: unknown, indent = "", used = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const isFlat = items.every((item) => typeof item !== "object" || item === null);
    const line = `[${items.map((item) => JSON.stringify(item)).join(", ")}]`;
    if (isFlat && used + line.length < lineWidth) return line;
    if (items.every((item) => typeof item === "number"))
      return `[\n${filledLines(items, inner).join("\n")}\n${indent}]`;
    return `[\n${items.map((item) => `${inner}${prettyJson(item, inner, inner.length)}`).join(",\n")}\n${indent}]`;
  }
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  if (fields.length === 0) return "{}";
  const lines = fields.map(([name, item]) => {
    const start = `${inner}${JSON.stringify(name)}: `;
    return `${start}${prettyJson(item, inner, start.length)}`;
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** Returns numbers with commas in lines that are as full as possible. */
function filledLines(numbers: readonly number[], indent: string): readonly string[] {
  const lines: string[] = [];
  for (const [index, number] of numbers.entries()) {
    const text = `${number}${index === numbers.length - 1 ? "" : ","}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + text.length > lineWidth) lines.push(indent + text);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return lines;
}
