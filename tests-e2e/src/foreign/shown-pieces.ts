import { isOwnLine } from "@self-context-manager/core/layout";

/** A piece of a message that the context manager wrote, by its own grammar of lines. */
export type ShownPiece =
  | { readonly type: "line"; readonly text: string }
  /** A header with the text in its fence. */
  | { readonly type: "content"; readonly header: string; readonly text: string }
  /** A line that is not one of the context manager. */
  | { readonly type: "foreign"; readonly text: string };

const fence = /^~{3,}$/u;

/** Splits a message into its pieces. */
export function piecesOf(message: string): readonly ShownPiece[] {
  const lines = message.split("\n");
  const pieces: ShownPiece[] = [];
  let at = 0;
  while (at < lines.length) {
    const text = lines[at] ?? "";
    const row = lines[at + 1] ?? "";
    const end = fence.test(row) ? lines.indexOf(row, at + 2) : -1;
    if (isOwnLine(text) && end !== -1) {
      pieces.push({ type: "content", header: text, text: lines.slice(at + 2, end).join("\n") });
      at = end + 1;
      continue;
    }
    pieces.push({ type: isOwnLine(text) ? "line" : "foreign", text });
    at += 1;
  }
  return pieces;
}
