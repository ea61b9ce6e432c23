/** `key:: ` at the start of a line or list item, with nothing but links behind it (Dataview's inline field). */
const inlineField =
  /^\s*(?:>\s*)*(?:(?:[-*+]|\d+[.)])\s+)?(?<key>\p{L}[\p{L}\p{N}_-]*)::\s*(?:!?\[\[[^\]\n]*\]\]\s*,?\s*)*$/u;
/** `- lower_snake ` with at least one underscore. */
const snakeWord = /^\s*(?:>\s*)*[-*+]\s+(?<key>[a-z][a-z\d]*(?:_[a-z\d]+)+)\s+$/u;
/** `- word `, which is a relation only under a heading *Relations*. */
const anyWord = /^\s*(?:>\s*)*[-*+]\s+(?<key>\p{L}[\p{L}\p{N}_-]*)\s+$/u;

/**
 * Returns the type of the relation that a link has in its line (decision D63). `before` is the line up to the link. A
 * type is never inferred from prose.
 */
export function relationOf(before: string, isUnderRelations: boolean): string | undefined {
  const match =
    inlineField.exec(before) ??
    snakeWord.exec(before) ??
    (isUnderRelations ? anyWord.exec(before) : null);
  return match?.groups?.["key"];
}
