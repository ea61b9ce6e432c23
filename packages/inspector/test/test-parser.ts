import type { DocumentParser, ParsedLink } from "@self-context-manager/objects";

/** A parser of wiki links; a `(word)` before a link is its relation. */
export const testParser: DocumentParser = {
  name: "test-1",
  parse: (text) => ({
    parser: "test-1",
    front_matter: { state: "absent" },
    aliases: [],
    headings: [],
    tags: [],
    links: [...text.matchAll(/(?:\((\w+)\) )?\[\[([^\]]*)\]\]/gu)].map(
      ({ index, 0: whole, 1: relation, 2: name = "" }): ParsedLink => ({
        path: "content",
        range: [index, index + whole.length],
        syntax: "wiki",
        raw: name,
        name,
        ...(relation === undefined ? {} : { relation }),
      }),
    ),
  }),
};
