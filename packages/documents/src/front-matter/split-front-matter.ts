/** A document in two parts. `yaml` is the text between the two lines of dashes. */
export interface SplitText {
  readonly yaml?: string;
  /** Where `yaml` starts in the text. */
  readonly yamlStart: number;
  /** Where the body starts: after the second line of dashes, or after a byte order mark. */
  readonly bodyStart: number;
}

const opening = /^\uFEFF?---[ \t]*\r?\n/u;
const closing = /(?:^|\n)---[ \t]*(?:\r?\n|$)/u;

/** Finds the front matter: a line `---` at the start of the text, up to the next such line. */
export function splitFrontMatter(text: string): SplitText {
  const start = opening.exec(text)?.[0].length;
  const bodyStart = text.startsWith("\uFEFF") ? 1 : 0;
  if (start === undefined) return { yamlStart: bodyStart, bodyStart };
  const rest = text.slice(start);
  const end = closing.exec(rest);
  if (end === null) return { yamlStart: bodyStart, bodyStart };
  const yaml = rest.slice(0, end.index + (end[0].startsWith("\n") ? 1 : 0));
  return { yaml, yamlStart: start, bodyStart: start + end.index + end[0].length };
}
