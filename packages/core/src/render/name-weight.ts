/** The pieces into which tokenizers roughly cut a text: words at a change of case, short numbers, single marks. */
const pieces = /\p{Lu}?\p{Ll}+|\p{Lu}+|\d{1,3}|[\s\S]/gu;

/**
 * Returns an upper estimate of the tokens of a name, which is rarely too low. Names that are no words, such as hashes
 * and keys, and rare scripts have far more tokens for their length than prose. Lines with a limit are cut by this
 * estimate.
 */
export function nameWeight(text: string): number {
  return piecesOf(text).reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Returns the end of a name within a weight, with a mark for the missing part. A name within the weight stays whole.
 */
export function endOfWeight(text: string, weight: number): string {
  if (nameWeight(text) <= weight) return text;
  const kept = lightest(piecesOf(text).toReversed(), weight - 1)
    .toReversed()
    .join("");
  return `…${fromSlash(kept)}`;
}

/**
 * Returns the beginning of a name within a weight, with a mark for the missing part. A name within the weight stays
 * whole.
 */
export function startOfWeight(text: string, weight: number): string {
  if (nameWeight(text) <= weight) return text;
  return `${lightest(piecesOf(text), weight - 1).join("")}…`;
}

interface NamePiece {
  readonly text: string;
  readonly weight: number;
}

/**
 * Characters above which a piece is divided, so that a name of one word can be cut too. A word of other letters than
 * English ones has more tokens and is always divided.
 */
const longestPiece = 9;

function piecesOf(text: string): readonly NamePiece[] {
  let wasWord = false;
  return (text.match(pieces) ?? []).flatMap((found) => {
    const isWord = /[\p{L}\d]/u.test(found);
    // Tokenizers have no token across a change between letters, case and digits inside a word.
    const joint = wasWord && isWord ? 0.3 : 0;
    wasWord = isWord;
    const weight = pieceWeight(found) + joint;
    const length = Array.from(found).length;
    const isAscii = /^\p{ASCII}+$/u.test(found);
    if (length === 1 || (isAscii && length <= longestPiece)) return [{ text: found, weight }];
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

/** Removes the beginning of a cut path up to its first slash, if a name remains. */
function fromSlash(text: string): string {
  const slash = text.indexOf("/");
  return slash === -1 || slash === text.length - 1 ? text : text.slice(slash);
}
