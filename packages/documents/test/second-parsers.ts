import { load } from "js-yaml";
import MarkdownIt from "markdown-it";

// Independent parsers of the same things, to compare with.

const markdown = new MarkdownIt({ html: true });
// Destinations are compared as they are written.
markdown.normalizeLink = (url) => url;
markdown.validateLink = () => true;
type Token = ReturnType<typeof markdown.parse>[number];

/** The destinations of the links and images of a Markdown text, in the order of their ends. */
export function destinationsOf(body: string): readonly string[] {
  const found: string[] = [];
  collect(markdown.parse(body, {}), found);
  return found;
}

function collect(tokens: readonly Token[], found: string[]): void {
  for (const token of tokens) {
    const destination =
      token.type === "link_open"
        ? token.attrGet("href")
        : token.type === "image"
          ? token.attrGet("src")
          : null;
    if (destination !== null) found.push(String(destination));
    if (token.children !== null) collect(token.children, found);
  }
}

/** The value of a YAML text; undefined if it is invalid. */
export function yamlValue(yaml: string): unknown {
  try {
    return load(yaml);
  } catch {
    return undefined;
  }
}
