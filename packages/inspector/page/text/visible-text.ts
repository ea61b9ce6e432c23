/**
 * Characters that change or hide text without being seen: controls of direction, other controls, spaces without width,
 * fillers, tags and line separators.
 */
const invisible =
  "\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B" +
  "\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}";

const inTexts = new RegExp(`[${invisible}]`, "gu");
// In names also what joins letters, tabs and ends of lines.
const inNames = new RegExp(`[${invisible}\\u0009\\u000A\\u200C\\u200D]`, "gu");

/** A text with each invisible character as its number, such as `⟨U+202E⟩`. The ends of lines stay. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(inTexts, numbered);
}

/** A name on one line, with each invisible character as its number. */
export function visibleName(name: string): string {
  return name.replace(inNames, numbered);
}

function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
