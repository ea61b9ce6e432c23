import type { DocumentParser, ParsedDocument } from "@self-context-manager/objects";

import { readFrontMatter } from "./front-matter/read-front-matter.ts";
import { splitFrontMatter } from "./front-matter/split-front-matter.ts";
import { readBody } from "./read-body.ts";

/** Changes with every change of a result, so that what an earlier parser found is not used. */
const name = "markdown-1";

/** Parses Markdown as people write it in Obsidian and similar programs (§10). */
export const markdownParser: DocumentParser = {
  name,
  parse(text): ParsedDocument {
    const parts = splitFrontMatter(text);
    const front = readFrontMatter(parts);
    const body = readBody(text, parts.bodyStart);
    return {
      parser: name,
      front_matter: front.frontMatter,
      aliases: front.aliases,
      headings: body.headings,
      links: [...front.links, ...body.links],
      tags: [...front.tags, ...body.tags],
    };
  },
};
