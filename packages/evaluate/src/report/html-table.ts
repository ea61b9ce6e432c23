import { html, type Html, noHtml } from "./html.ts";

type Cell = Html | string | number;

export interface TableContent {
  /** What the table shows, for all readers. */
  readonly caption: string;
  readonly head: readonly Cell[];
  /** The first cell of a row is its head. */
  readonly rows: readonly (readonly Cell[])[];
  /** Columns of numbers, from 0; aligned to the right. Default: all except the first. */
  readonly numbers?: readonly number[];
}

/** A table with heads for rows and columns. It scrolls by itself where it is wider than the page. */
export function htmlTable({ caption, head, rows, numbers }: TableContent): Html {
  if (rows.length === 0) return noHtml;
  const align = (column: number): Html =>
    (numbers?.includes(column) ?? column > 0) ? html` class="number"` : noHtml;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        <span>${caption}</span>
      </caption>
      <thead>
        <tr>
          ${head.map((cell, column) => html`<th scope="col" ${align(column)}>${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, column) =>
                column === 0
                  ? html`<th scope="row">${cell}</th>`
                  : html`<td${align(column)}>${cell}</td>`,
              )}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}
