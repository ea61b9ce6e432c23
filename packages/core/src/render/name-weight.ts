/** The pieces in which tokenizers cut text, roughly: words at a change of case, short numbers, single marks. */
const pieces = /\p{Lu}?\p{Ll}+|\p{Lu}+|\d{1,3}|[\s\S]/gu;

/**
 * About the most tokens that a name takes, counted so that it seldom errs below: names that were never words (hashes,
 * keys) and rare scripts take far more tokens by length than prose, and a line that may not grow is cut by this.
 */
export function nameWeight(text: string): number {
  return piecesOf(text).reduce((sum, { weight }) => sum + weight, 0);
}

/** The end of a name that weighs no more than this, and what is left out marked; whole where it may be. */
export function endOfWeight(text: string, weight: number): string {
  if (nameWeight(text) <= weight) return text;
  const kept = lightest(piecesOf(text).toReversed(), weight - 1)
    .toReversed()
    .join("");
  return `…${fromSlash(kept)}`;
}

/** The beginning of a name that weighs no more than this, and what is left out marked; whole where it may be. */
export function startOfWeight(text: string, weight: number): string {
  if (nameWeight(text) <= weight) return text;
  return `${lightest(piecesOf(text), weight - 1).join("")}…`;
}

interface NamePiece {
  readonly text: string;
  readonly weight: number;
}

/** A long piece is taken apart, so that a name of one word can be cut too. */
const longestPiece = 9;

function piecesOf(text: string): readonly NamePiece[] {
  let wasWord = false;
  return (text.match(pieces) ?? []).flatMap((found) => {
    const isWord = /[\p{L}\d]/u.test(found);
    // A change between letters, case and digits within a word is where a tokenizer knows no word.
    const joint = wasWord && isWord ? 0.3 : 0;
    wasWord = isWord;
    const weight = pieceWeight(found) + joint;
    const length = Array.from(found).length;
    if (length <= longestPiece) return [{ text: found, weight }];
    return Array.from(found).map((letter) => ({ text: letter, weight: weight / length }));
  });
}

function pieceWeight(piece: string): number {
  const { length } = piece;
  if (/^[a-z]+$/iu.test(piece)) return wordWeight(piece, length);
  if (/^\d/u.test(piece)) return 1;
  if (/^[/._ -]$/u.test(piece)) return 0.6;
  if (/^\p{ASCII}/u.test(piece)) return 1;
  if (/^[\u0080-\u04FF]+$/u.test(piece) && /\p{L}/u.test(piece)) return length * 1.2;
  if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$/u.test(piece))
    return length * 1.6;
  if (/^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}]+$/u.test(piece)) return length * 1.5;
  return length * 4;
}

function wordWeight(word: string, length: number): number {
  if (length > 1 && word === word.toUpperCase()) return length / 1.5;
  const vowels = (word.match(/[aeiouy]/giu) ?? []).length;
  const base = length > longestPiece ? length / 2 : 1 + Math.max(0, length - 7) / 4;
  return base + (length > 2 && vowels / length < 0.24 ? (length - 1) / 3 : 0);
}

function lightest(all: readonly NamePiece[], weight: number): readonly string[] {
  const kept: string[] = [];
  let sum = 0;
  for (const piece of all) {
    sum += piece.weight;
    if (sum > weight) break;
    kept.push(piece.text);
  }
  return kept;
}

/** A path that was cut begins at a folder, where that leaves a name. */
function fromSlash(text: string): string {
  const slash = text.indexOf("/");
  return slash === -1 || slash === text.length - 1 ? text : text.slice(slash);
}
