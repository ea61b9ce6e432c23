import { lineCount, linesOf } from "@self-context-manager/objects";

/** A text that may be shown of an object: all of it, or some of its lines. */
export interface ShowableText {
  readonly text: string;
  readonly lines: ReadonlySet<number> | "all";
}

const ranges = / lines (\d+-\d+(?:, \d+-\d+)*) of (\d+)(?:; no room for more)?$/u;
const difference = / replaces v\d+ above, \+\d+ -\d+$/u;
const omission = /^\[(\d+) characters not shown; (?:no room for more, )?activate [a-z]+\d+ .*\]$/u;

/** Whether a text in a fence is what its header says of one of the texts that may be shown. */
export function isShowable(
  header: string,
  shown: string,
  showable: readonly ShowableText[],
): boolean {
  if (difference.test(header)) return isDifference(shown, showable);
  const [, listed, count] = ranges.exec(header) ?? [];
  return showable.some((one) => {
    const { text } = one;
    if (listed === undefined)
      return hasLines(one, 1, lineCount(text)) && isWholeOrPart(shown, text);
    const wanted = listed.split(", ").map((range) => {
      const [from = 0, to = 0] = range.split("-").map(Number);
      return { from, to };
    });
    return (
      lineCount(text) === Number(count) &&
      wanted.every(({ from, to }) => hasLines(one, from, to)) &&
      isWholeOrPart(shown, wanted.map((range) => linesOf(text, range)).join(""))
    );
  });
}

/** Whether lines of a text may be shown. An empty line shows nothing. */
function hasLines({ text, lines }: ShowableText, from: number, to: number): boolean {
  const rows = text.split("\n");
  return (
    lines === "all" || numbers(from, to).every((line) => lines.has(line) || rows[line - 1] === "")
  );
}

/** Whether a text is another one, or its two ends with a mark of how much is missing between them. */
function isWholeOrPart(shown: string, text: string): boolean {
  if (shown === withoutEnd(text)) return true;
  const rows = shown.split("\n");
  return rows.some((row, index) => {
    const omitted = Number(omission.exec(row)?.[1]);
    if (Number.isNaN(omitted)) return false;
    const head = rows.slice(0, index).join("\n");
    const tail = rows.slice(index + 1).join("\n");
    const heads = index === 0 ? [""] : [head, `${head}\n`];
    const tails = [tail, `${tail}\n`];
    return heads.some((start) =>
      tails.some(
        (end) =>
          start.length + omitted + end.length === text.length &&
          text.startsWith(start) &&
          text.endsWith(end),
      ),
    );
  });
}

/** Whether each line of a difference is a line that may be shown. */
function isDifference(patch: string, showable: readonly ShowableText[]): boolean {
  const known = new Set(
    showable.flatMap(({ text, lines }) =>
      text.split("\n").filter((_, index) => lines === "all" || lines.has(index + 1)),
    ),
  );
  return patch.split("\n").every((row) => /^(?:@@ |\\ )/u.test(row) || known.has(row.slice(1)));
}

function withoutEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

export function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
