import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { count } from "../text/format.ts";

/** A column of a table. With `order` its header sorts the rows, the largest value first. */
export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  readonly order?: (row: Row) => number | string;
}

/** A column of numbers, which sorts the rows by them. Default: numbers in full. */
export function numbers<Row>(
  title: string,
  order: (row: Row) => number,
  cell: (row: Row) => ComponentChildren = (row) => count(order(row)),
): Column<Row> {
  return { title, isNumber: true, cell, order };
}

export interface DataTableProps<Row> {
  readonly caption: ComponentChildren;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Rows that are shown at first. Default: 12. */
  readonly shown?: number;
  /** The words in place of a table without rows. */
  readonly empty: string;
  readonly rowClass?: (row: Row) => string | undefined;
}

/** Rows that a press of the button adds: a page with all rows of a long session would be slow. */
const step = 200;

/** A table that can be sorted and that shows a long list in steps. */
export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const { caption, columns, rows, keyOf, shown = 12, empty, rowClass } = props;
  const [limit, setLimit] = useState(shown);
  const [sorting, setSorting] = useState<{ readonly column: number; readonly isDown: boolean }>();
  const sorted = useMemo(() => {
    const order = sorting === undefined ? undefined : columns[sorting.column]?.order;
    if (sorting === undefined || order === undefined) return rows;
    const direction = sorting.isDown ? -1 : 1;
    return rows.toSorted((a, b) => direction * compare(order(a), order(b)));
  }, [rows, sorting]);
  if (rows.length === 0)
    return (
      <div class="table empty">
        <p class="caption">{caption}</p>
        <p class="quiet">{empty}</p>
      </div>
    );
  const press = (column: number): void =>
    setSorting(
      sorting?.column === column ? { column, isDown: !sorting.isDown } : { column, isDown: true },
    );
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="group" aria-label="table, scrolls sideways">
        <table>
          <caption>
            <span>{caption}</span>
          </caption>
          <thead>
            <tr>
              {columns.map(({ title, isNumber, order }, index) => (
                <th
                  key={title}
                  scope="col"
                  class={isNumber === true ? "number" : undefined}
                  aria-sort={
                    sorting?.column === index
                      ? sorting.isDown
                        ? "descending"
                        : "ascending"
                      : undefined
                  }
                >
                  {order === undefined ? (
                    title
                  ) : (
                    <button type="button" class="sort" onClick={() => press(index)}>
                      {title}
                      <span aria-hidden="true">
                        {sorting?.column === index ? (sorting.isDown ? " ↓" : " ↑") : ""}
                      </span>
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, limit).map((row) => (
              <tr key={keyOf(row)} class={rowClass?.(row)}>
                {columns.map(({ title, isNumber, cell }) => (
                  <td key={title} class={isNumber === true ? "number" : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > limit ? (
        <button type="button" class="more" onClick={() => setLimit(limit + step)}>
          Show {count(Math.min(step, rows.length - limit))} more of {count(rows.length)}
        </button>
      ) : null}
    </div>
  );
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}
