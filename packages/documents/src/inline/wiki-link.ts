import type { InlineContext, MarkdownConfig } from "@lezer/markdown";

const openBracket = 91;
const exclamationMark = 33;
/** The most characters between the brackets, so that unclosed brackets cost little. */
const longestLink = 1000;
/** The inside of a wiki link: one line, without brackets that open another link. */
const wikiLink = /^\[\[(?!\[)((?:(?!\]\]|\[\[)[^\n\r])+)\]\]/u;

/** The inside of the wiki link at the start of a text. Brackets that it opens are closed in it: `[[Note [1]]]`. */
export function wikiLinkAt(text: string): string | undefined {
  const inside = wikiLink.exec(text)?.[1];
  if (inside === undefined || inside.trim() === "") return undefined;
  let open = openBrackets(inside);
  let end = inside.length + 2;
  while (open > 0 && text[end + 2] === "]") {
    open -= 1;
    end += 1;
  }
  return text.slice(2, end);
}

/** The number of brackets that are not closed. */
function openBrackets(inside: string): number {
  let open = 0;
  for (const sign of inside) {
    if (sign === "[") open += 1;
    if (sign === "]") open = Math.max(0, open - 1);
  }
  return open;
}

/** Parses `[[name]]` and `![[name]]`. */
export const wikiLinks: MarkdownConfig = {
  defineNodes: ["WikiLink", "WikiEmbed"],
  parseInline: [
    {
      name: "WikiLink",
      before: "Link",
      parse(context, next, position) {
        return next === openBracket ? wikiLinkFrom(context, "WikiLink", position, position) : -1;
      },
    },
    {
      name: "WikiEmbed",
      before: "Image",
      parse(context, next, position) {
        return next === exclamationMark
          ? wikiLinkFrom(context, "WikiEmbed", position, position + 1)
          : -1;
      },
    },
  ],
};

function wikiLinkFrom(
  context: InlineContext,
  node: string,
  start: number,
  brackets: number,
): number {
  if (context.char(brackets) !== openBracket || context.char(brackets + 1) !== openBracket)
    return -1;
  const text = context.slice(brackets, Math.min(context.end, brackets + longestLink + 4));
  const inside = wikiLinkAt(text);
  if (inside === undefined) return -1;
  return context.addElement(context.elt(node, start, brackets + inside.length + 4));
}
