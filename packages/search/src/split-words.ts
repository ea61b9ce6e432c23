import { composed } from "@self-context-manager/objects";

// Words of texts and of queries. Both go through the same function, so that what was added can be found.

const identifier = /[\p{L}\p{N}\p{M}]+(?:_+[\p{L}\p{N}\p{M}]+)*/gu;
/** Where an identifier has a new part: `_`, `camelCase`, `HTTPServer`, `utf8`. */
const seam =
  /_+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
/** An identifier with more parts, such as a hash, is not also one word. */
const mostParts = 5;

/**
 * Returns the words of a text, in lower case and composed, with blanks between them. An identifier is its parts and the whole:
 * `readFile_v2` is `read file v 2 readfilev2`.
 */
export function splitWords(text: string): string {
  const words: string[] = [];
  for (const parts of identifiersIn(text)) {
    for (const part of parts) words.push(part.toLowerCase());
    if (parts.length > 1 && parts.length <= mostParts) words.push(parts.join("").toLowerCase());
  }
  return words.join(" ");
}

/** Returns the parts of each identifier of a text. */
export function* identifiersIn(text: string): Generator<readonly string[]> {
  for (const [found] of composed(text).matchAll(identifier))
    yield found.split(seam).filter((part) => part !== "");
}

const ascii = /^[\0-\u{7F}]*$/u;
const accents = /(?<=\p{Script=Latin})[\u{300}-\u{36F}]+/gu;

/** Returns words without the accents of Latin letters, as the index has them, so that `naive` finds `naïve`. */
export function withoutAccents(words: string): string {
  return ascii.test(words) ? words : composed(words.normalize("NFD").replace(accents, ""));
}

const outside = /[^\p{L}\p{N}\p{M}_]/gu;

/**
 * Returns a text in slices of about a length, which have the words of the text. Only a word that is longer than a slice is
 * divided.
 */
export function* slicesOf(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = endOfSlice(text, start, length);
    yield text.slice(start, end);
    start = end;
  }
}

function endOfSlice(text: string, start: number, length: number): number {
  if (start + length >= text.length) return text.length;
  const least = betweenCharacters(text, start + length - 1);
  // The search ends after another slice, because a text can be one word.
  const most = betweenCharacters(text, Math.min(start + 2 * length, text.length));
  outside.lastIndex = 0;
  const found = outside.exec(text.slice(least, most));
  return found === null ? most : least + found.index + found[0].length;
}

/** Returns a place in a text, or the next one if it divides a character. */
function betweenCharacters(text: string, place: number): number {
  return place < text.length && isHigh(text.charCodeAt(place - 1)) ? place + 1 : place;
}

/** Whether a unit is the first of two that are one character. */
function isHigh(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xdc_00;
}

/** Words that are in most texts, and say nothing about one. */
const common = new Set(
  "a an and are as at be been but by can did do does for from had has have how i if in into is it its just let me my no not now of on or our out see so some than that the their them then there these they this those to up was we were what when where which who why will with would you your".split(
    " ",
  ),
);

const isOneCharacter = /^.$/su;

/** Returns the different words by which a query is answered. Common words count only if there are no others. */
export function queryWords(query: string): readonly string[] {
  const all = [...new Set(splitWords(query).split(" "))].filter((word) => word !== "");
  const telling = all.filter((word) => !common.has(word) && !isOneCharacter.test(word));
  return telling.length > 0 ? telling : all;
}
