import { diffLines, diffWordsWithSpace } from "diff";

/** A piece of a line; `isChanged` if the other side does not have it. */
interface WordPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** A line of a difference, with its number on each side, or a run of equal lines that is folded. */
export type DiffRow =
  | {
      readonly type: "same" | "removed" | "added";
      readonly before?: number;
      readonly after?: number;
      readonly pieces: readonly WordPiece[];
    }
  | { readonly type: "fold"; readonly lines: readonly DiffRow[] };

/** Equal lines that are shown around a change. */
const context = 3;
/** Lines that are longer have no marks of words: comparing them would take too long. */
const longestMarked = 600;
/** Characters of all lines whose words are compared: more would keep the page from answering for seconds. */
const mostMarked = 60_000;

/** The differences of two texts by lines; undefined if they differ in too many lines to be compared. */
export function diffRows(before: string, after: string): readonly DiffRow[] | undefined {
  const changes = diffLines(before, after, { maxEditLength: 4000, timeout: 1500 });
  if (changes === undefined) return undefined;
  const rows: DiffRow[] = [];
  let [left, right] = [1, 1];
  let removed: string[] = [];
  let toMark = mostMarked;
  for (const { added, removed: isRemoved, value } of changes) {
    const lines = linesOf(value);
    if (isRemoved) {
      removed = lines;
      rows.push(...lines.map((text) => row("removed", text, { before: left++ })));
    } else if (added) {
      const first = rows.length - removed.length;
      rows.push(...lines.map((text) => row("added", text, { after: right++ })));
      if (removed.length === lines.length) toMark -= markWords(rows, first, lines.length, toMark);
      removed = [];
    } else {
      rows.push(
        ...folded(lines.map((text) => row("same", text, { before: left++, after: right++ }))),
      );
      removed = [];
    }
  }
  return rows;
}

function row(
  type: "same" | "removed" | "added",
  text: string,
  numbers: { readonly before?: number; readonly after?: number },
): DiffRow {
  return { type, ...numbers, pieces: [{ text, isChanged: false }] };
}

function folded(rows: readonly DiffRow[]): readonly DiffRow[] {
  if (rows.length <= 2 * context + 2) return rows;
  const lines = rows.slice(context, -context);
  return [...rows.slice(0, context), { type: "fold", lines }, ...rows.slice(-context)];
}

/**
 * Marks the words that differ between lines that replace each other one by one, up to a number of characters. Returns the
 * number of characters that were compared.
 */
function markWords(rows: DiffRow[], first: number, count: number, most: number): number {
  let compared = 0;
  for (let index = 0; index < count && compared < most; index++) {
    const [removed, added] = [rows[first + index], rows[first + count + index]];
    if (removed === undefined || added === undefined) continue;
    if (removed.type === "fold" || added.type === "fold") continue;
    const [old = "", next = ""] = [removed.pieces[0]?.text, added.pieces[0]?.text];
    if (old.length > longestMarked || next.length > longestMarked) continue;
    compared += old.length + next.length;
    const words = diffWordsWithSpace(old, next);
    const side = (isOther: (word: (typeof words)[number]) => boolean): readonly WordPiece[] =>
      words
        .filter((word) => !isOther(word))
        .map((word) => ({ text: word.value, isChanged: word.added || word.removed }));
    rows[first + index] = { ...removed, pieces: side(({ added }) => added) };
    rows[first + count + index] = { ...added, pieces: side(({ removed }) => removed) };
  }
  return compared;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
