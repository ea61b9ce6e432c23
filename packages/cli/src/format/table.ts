import { visible } from "./terminal-text.ts";

/** A column by its title. */
export type Column = string | { readonly right: string };

/** A column of numbers, which are aligned to the right. */
export function right(title: string): Column {
  return { right: title };
}

/** Rows under titles, in aligned columns; the last column is not padded. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map((column) => (typeof column === "string" ? column : column.right));
  const all = [titles, ...rows.map((row) => row.map(visible))];
  const widths = columns.map((_, index) =>
    Math.max(...all.map((row) => (row[index] ?? "").length)),
  );
  return all.map((row) => `${line(columns, widths, row)}\n`).join("");
}

function line(
  columns: readonly Column[],
  widths: readonly number[],
  row: readonly string[],
): string {
  return columns
    .map((column, index) => {
      const cell = row[index] ?? "";
      const width = widths[index] ?? 0;
      return typeof column === "string" ? cell.padEnd(width) : cell.padStart(width);
    })
    .join("  ")
    .trimEnd();
}

/** Labels with their values, one pair a line, in two columns. */
export function fields(entries: readonly (readonly [string, string])[]): string {
  const shown = entries.map(([label, value]) => [visible(label), visible(value)] as const);
  const width = Math.max(0, ...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join("");
}
