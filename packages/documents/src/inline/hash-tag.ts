import type { InlineContext, MarkdownConfig } from "@lezer/markdown";

const numberSign = 35;
const longestTag = 200;
/** Letters, digits, marks, pictographs, `_`, `-` and `/`, as in Obsidian. */
const tagText = /^(?:[\p{L}\p{N}\p{M}\p{Extended_Pictographic}_/-]|\u{200D}|\u{FE0F})+/u;
const onlyDigits = /^[\d/]+$/u;
/** What can be before a tag: a blank, the end of an HTML tag, or the start of emphasis. */
const before = /[\s>*]/u;
/** The rest of a link's text, which can begin with a tag. */
const linkText = /^[^[\]\n]*\]\(/u;

/** The tag at the start of a text, without its number sign. A number such as `#12` is no tag. */
function tagAt(text: string): string | undefined {
  const tag = tagText.exec(text)?.[0].replace(/\/+$/u, "");
  return tag === undefined || tag === "" || onlyDigits.test(tag) ? undefined : tag;
}

/** Parses `#tag`. */
export const hashTags: MarkdownConfig = {
  defineNodes: ["HashTag"],
  parseInline: [
    {
      name: "HashTag",
      parse(context, next, position) {
        if (next !== numberSign) return -1;
        const text = context.slice(position + 1, Math.min(context.end, position + longestTag));
        if (position > context.offset && !canFollow(context, position, text)) return -1;
        const tag = tagAt(text);
        if (tag === undefined) return -1;
        return context.addElement(context.elt("HashTag", position, position + 1 + tag.length));
      },
    },
  ],
};

function canFollow(context: InlineContext, position: number, text: string): boolean {
  const previous = context.slice(position - 1, position);
  return before.test(previous) || (previous === "[" && linkText.test(text));
}
