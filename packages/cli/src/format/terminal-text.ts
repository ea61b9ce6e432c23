/**
 * Characters that control a terminal, or that make its text differ from the characters that are there: control
 * characters except line feeds and tabs, characters that set the writing direction, characters without width, tags, line
 * separators and lone surrogates. The selectors of an emoji's form (U+FE0E, U+FE0F) only choose between two pictures.
 */
const unseen =
  /(?![\n\t]|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text for a terminal: each unseen character as `\uXXXX`, the form of JSON. Line feeds and tabs stay. So JSON stays
 * JSON with the same values.
 */
export function terminalText(text: string): string {
  return text.replaceAll(unseen, escaped);
}

/** A foreign text as a part of one line, such as a name: unseen characters, line feeds and tabs as `\uXXXX`. */
export function visible(text: string): string {
  return terminalText(text).replaceAll(/[\n\t]/gu, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
