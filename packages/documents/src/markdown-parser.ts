import type { DocumentParser, ParsedDocument } from "@self-context-manager/objects";

import { readFrontMatter } from "./front-matter/read-front-matter.ts";
import { splitFrontMatter } from "./front-matter/split-front-matter.ts";
import { readBody } from "./read-body.ts";

/** Changes with every change of a result, so that what an earlier parser found is not used. */
const name = "markdown-2";

/**
 * The number of headings, of links and of tags that are returned of one document. A note that a person writes has some
 * hundreds; a list of all pages of a site can have more.
 */
const mostOfEach = 10_000;

/**
 * Characters of a document that are parsed, up to the end of a line. No note of a person is longer, and a text with a link in
 * each line takes 0.2 s, in which the process does nothing else.
 */
const mostCharacters = 250_000;

/** Parses Markdown as people write it in Obsidian and similar programs (§10). */
export const markdownParser: DocumentParser = {
  name,
  parse(whole): ParsedDocument {
    const text = beginningOf(whole);
    const parts = splitFrontMatter(text);
    const front = readFrontMatter(parts);
    const body = readBody(text, parts.bodyStart);
    return {
      parser: name,
      front_matter: front.frontMatter,
      aliases: front.aliases,
      headings: body.headings.slice(0, mostOfEach),
      links: [...front.links, ...body.links].slice(0, mostOfEach),
      tags: [...front.tags, ...body.tags].slice(0, mostOfEach),
    };
  },
};

function beginningOf(text: string): string {
  if (text.length <= mostCharacters) return text;
  const end = text.lastIndexOf("\n", mostCharacters - 1);
  return text.slice(0, end === -1 ? mostCharacters : end + 1);
}
