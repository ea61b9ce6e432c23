import { turnLine } from "../../chat/turn-text.ts";
import { omissionNotices } from "../../lines/notices.ts";
import { fenced } from "../../render/content-block.ts";
import type { NoticeEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Share of the room for messages that the lines about the first turns can have. */
export const indexShare = 0.15;

/** Characters of the line of a turn, from the longest that is tried to the shortest. */
const lineWidths = [160, 100, 60, 40] as const;

/**
 * Returns the notice that replaces the first turns. It has a line for each of them that says what it was about, as far as
 * they have `most` tokens; the oldest are without one first.
 */
export function turnsNotice(context: PlanningContext, count: number, most: number): NoticeEntry {
  const { input, settings, leftOut } = context;
  const header = omissionNotices.turns.write(1, count, input.chatHandle);
  const plain = context.notice(header);
  if (settings.folds === undefined) return plain;
  // Messages that an extension of the host leaves out are not repeated either.
  const turns = input.turns.slice(0, count).map((one, turn) => ({
    ...one,
    user: leftOut.has({ turn, step: -1 }) ? null : one.user,
    steps: one.steps.filter((_, step) => !leftOut.has({ turn, step })),
  }));
  const made = (width: number, from: number): NoticeEntry => {
    const lines = turns.slice(from).map((turn, at) => turnLine(turn, from + at + 1, width));
    return context.notice(`${header}\n${fenced(lines.join("\n"))}`);
  };
  const shortest = Math.min(...lineWidths);
  const all = lineWidths.map((width) => made(width, 0));
  const fits = all.find((notice) => context.tokensOf(notice) <= most);
  if (fits !== undefined) return fits;
  const each = context.tokensOf(all.at(-1) ?? plain) / count;
  const from = count - Math.floor(most / each);
  const some = from < count ? made(shortest, from) : plain;
  return context.tokensOf(some) <= most ? some : plain;
}
