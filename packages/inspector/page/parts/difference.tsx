import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { counted } from "../text/format.ts";
import { type DiffRow, diffRows } from "../text/diff-rows.ts";
import { visibleText } from "../text/visible-text.ts";

/** Rows that are drawn at first. */
const shown = 1500;
/** A line longer than this is cut. */
const longest = 2000;

/** The differences between two texts by lines. A mark in the margin says the same as the colour. */
export function Difference({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}): JSX.Element {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  const [isOpen, setOpen] = useState(false);
  if (rows === undefined)
    return <p class="quiet">The two texts differ in too many lines to be compared here.</p>;
  if (before === after) return <p class="quiet">The two texts are the same.</p>;
  return (
    <div class="difference scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        <caption class="hidden">{label}</caption>
        <tbody>
          {(isOpen ? rows : rows.slice(0, shown)).map((row, index) => (
            <Row key={index} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length > shown && !isOpen ? (
        <button type="button" class="more" onClick={() => setOpen(true)}>
          Show all {counted(rows.length, "row")}
        </button>
      ) : null}
    </div>
  );
}

const marks = { same: " ", removed: "−", added: "+" } as const;

function Row({ row }: { readonly row: DiffRow }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  if (row.type === "fold") {
    if (isOpen)
      return (
        <>
          {row.lines.map((line, index) => (
            <Row key={index} row={line} />
          ))}
        </>
      );
    return (
      <tr class="fold">
        <td colSpan={4}>
          <button type="button" class="small" onClick={() => setOpen(true)}>
            Show {counted(row.lines.length, "equal line")}
          </button>
        </td>
      </tr>
    );
  }
  return (
    <tr class={row.type}>
      <td class="number">{row.before ?? ""}</td>
      <td class="number">{row.after ?? ""}</td>
      <td class="mark">
        <span aria-hidden="true">{marks[row.type]}</span>
        {row.type === "same" ? null : <span class="hidden">{row.type}</span>}
      </td>
      <td>
        {row.pieces.map(({ text, isChanged }, index) => {
          const cut = text.length > longest ? `${text.slice(0, longest)} …` : text;
          return isChanged ? (
            <mark key={index}>{visibleText(cut)}</mark>
          ) : (
            <span key={index}>{visibleText(cut)}</span>
          );
        })}
      </td>
    </tr>
  );
}
