import { oneLine } from "@self-context-manager/objects";

/** Terminals show this many characters in a line. */
export const textWidth = 100;

/** Rows of cells as lines with columns two spaces apart. A cell of the first column is cut if a line is too long. */
export function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const clean = rows.map((row) => row.map(oneLine));
  const columns = Math.max(0, ...clean.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...clean.map((row) => row[column]?.length ?? 0)),
  );
  const others = widths.slice(1).reduce((sum, width) => sum + width + 2, 0);
  const first = Math.max(8, Math.min(widths[0] ?? 0, textWidth - others));
  return clean.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cut(cell, first).padEnd(first) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** A text of at most a number of characters, cut at the end with `…`. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A text as lines of at most a number of characters, broken at spaces. */
export function wrapped(text: string, indent = ""): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (indent.length + longer.length > textWidth && line !== "") {
      lines.push(`${indent}${line}`);
      line = cut(word, textWidth - indent.length);
    } else line = cut(longer, textWidth - indent.length);
  }
  return line === "" ? lines : [...lines, `${indent}${line}`];
}
