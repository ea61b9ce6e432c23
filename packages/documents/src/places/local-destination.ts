/** The parts of a Markdown link's destination, such as `./plan%20b.md#costs`. */
export interface LocalDestination {
  readonly name: string;
  readonly heading?: string;
}

const scheme = /^[a-z][a-z\d+.-]*:/iu;
const drive = /^[a-z]:[\\/]/iu;

/** Reads a destination. Undefined for one that is no local file, such as a web address. */
export function localDestination(raw: string): LocalDestination | undefined {
  const text = unescapeMarkdown(raw.startsWith("<") && raw.endsWith(">") ? raw.slice(1, -1) : raw);
  if (text === "" || text.startsWith("//") || (scheme.test(text) && !drive.test(text)))
    return undefined;
  const sign = text.indexOf("#");
  const path = sign < 0 ? text : text.slice(0, sign);
  const query = path.indexOf("?");
  const heading = sign < 0 ? "" : decode(text.slice(sign + 1));
  return {
    name: decode(query < 0 ? path : path.slice(0, query)),
    ...(heading === "" ? {} : { heading }),
  };
}

function unescapeMarkdown(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/gu, "$1");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing is a part of the name.
    return text;
  }
}
