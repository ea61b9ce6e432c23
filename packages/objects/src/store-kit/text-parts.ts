/**
 * The stored form of a text that contains other long texts of its version: `~+KEY@PLACE KEY@PLACE;REST`. The rest is the
 * text without them, and each place is the number of units of the rest before the text with that key. A text that
 * begins with `~` has another `~` in front, so no other text begins in this way.
 */
const partsOf = /^~\+((?:[^@; ]+@\d+ ?)+);/u;

/** A long text of a version, which is stored separately. */
export interface HeldText {
  readonly text: string;
  readonly key: number | string;
}

/** Returns the places of held texts in a text, in its order; undefined if it contains none of them. */
export function partsIn(text: string, held: readonly HeldText[]): TextParts | undefined {
  const names: string[] = [];
  let rest = "";
  let from = 0;
  for (const { text: part, key } of held) {
    const at = part.length < text.length ? text.indexOf(part, from) : -1;
    if (at < 0) continue;
    rest += text.slice(from, at);
    names.push(`${key}@${rest.length}`);
    from = at + part.length;
  }
  return names.length === 0 ? undefined : { names, rest: rest + text.slice(from) };
}

export interface TextParts {
  readonly names: readonly string[];
  readonly rest: string;
}

/** Returns the stored form of a text with parts; `rest` is in its own stored form. */
export function writeParts({ names, rest }: TextParts): string {
  return `~+${names.join(" ")};${rest}`;
}

/** Joins a text in the stored form of `writeParts`. Throws for any other text. */
export function joinParts(
  stored: string,
  read: (key: string) => string,
  decode: (rest: string) => string,
): string {
  const found = partsOf.exec(stored);
  if (found === null) throw new Error("a text with parts is not as it was stored");
  const [head = "", names = ""] = found;
  const rest = decode(stored.slice(head.length));
  let text = "";
  let from = 0;
  for (const name of names.split(" ")) {
    const [key = "", place] = name.split("@");
    text += rest.slice(from, Number(place)) + read(key);
    from = Number(place);
  }
  return text + rest.slice(from);
}

/** The beginnings of stored forms that name texts: `~#KEY`, or `~+KEY@PLACE …;` and then perhaps `~#KEY`. */
const namedTexts = /^~(?:#([^@; ]+)$|\+((?:[^@; ]+@\d+ ?)+);(?:~#([^@; ]+)$)?)/u;

/** Returns the keys of the texts that are stored separately from a text in its stored form. */
export function heldTextKeys(stored: string): readonly string[] {
  const found = stored.startsWith("~") ? namedTexts.exec(stored) : null;
  if (found === null) return [];
  const [, whole, parts, rest] = found;
  const named = parts?.split(" ").map((name) => name.slice(0, name.indexOf("@"))) ?? [];
  return [whole, ...named, rest].filter((key) => key !== undefined);
}
