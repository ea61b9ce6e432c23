import type { InlineContext, MarkdownConfig } from "@lezer/markdown";

import { wikiLinkAt } from "./wiki-link.ts";

/**
 * The most characters of one paragraph, heading or cell that are parsed as Markdown. The time of some texts, such as
 * `[a](` many times, grows with the square of their length, so a longer one is only searched for code and wiki links.
 * With 2,000 characters no text known costs more than 20 times as much as prose; `bench/results/documents.json` has the
 * figures.
 */
export const longestParsedText = 2000;

/** Must be the first inline parser: it takes over every text that is too long. */
export const longTexts: MarkdownConfig = {
  parseInline: [
    {
      name: "LongText",
      before: "Escape",
      parse(context, _next, position) {
        if (position !== context.offset || context.end - position <= longestParsedText) return -1;
        scan(context);
        return context.end;
      },
    },
  ],
};

/** Code, an escape, or the start of a wiki link. */
const landmark = /(?<ticks>`+)|\\[\s\S]|(?<embed>!?)\[\[/gu;
const longestLink = 1004;

function scan(context: InlineContext): void {
  const { text, offset } = context;
  const closing = lastRuns(text);
  landmark.lastIndex = 0;
  for (let match = landmark.exec(text); match !== null; match = landmark.exec(text)) {
    const { ticks, embed } = match.groups ?? {};
    if (ticks !== undefined) {
      const end = endOfCode(text, landmark.lastIndex, ticks.length, closing);
      if (end !== undefined) landmark.lastIndex = end;
    } else if (embed !== undefined) {
      const brackets = match.index + embed.length;
      const inside = wikiLinkAt(text.slice(brackets, brackets + longestLink));
      if (inside === undefined) {
        landmark.lastIndex = match.index + embed.length + 1;
        continue;
      }
      const end = brackets + inside.length + 4;
      const node = embed === "" ? "WikiLink" : "WikiEmbed";
      context.addElement(context.elt(node, offset + match.index, offset + end));
      landmark.lastIndex = end;
    }
  }
}

/** The place of the last run of each number of backticks, so that a run that nothing closes costs no search. */
function lastRuns(text: string): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+/gu)) last.set(run.length, index);
  return last;
}

function endOfCode(
  text: string,
  from: number,
  length: number,
  closing: ReadonlyMap<number, number>,
): number | undefined {
  if ((closing.get(length) ?? -1) < from) return undefined;
  const runs = /`+/gu;
  runs.lastIndex = from;
  for (let match = runs.exec(text); match !== null; match = runs.exec(text)) {
    if (match[0].length === length) return runs.lastIndex;
  }
  return undefined;
}
