import { turnLine } from "../../chat/turn-text.ts";
import { omissionNotices } from "../../lines/notices.ts";
import { fenced } from "../../render/content-block.ts";
import type { NoticeEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Share of the room for messages that the lines about the first turns can have. */
const indexShare = 0.15;

/** Characters of the line of a turn, from the longest that is tried to the shortest. */
const lineWidths = [160, 100, 60, 40] as const;

/**
 * Returns the notice that replaces the first turns. It has a line for each of them that says what it was about, as far as
 * the lines fit into a share of `room`, the tokens that the messages can have; the oldest are without one first.
 */
export function turnsNotice(context: PlanningContext, count: number, room: number): NoticeEntry {
  const { input, settings, leftOut, epochs } = context;
  const header = omissionNotices.turns.write(1, count, input.chatHandle);
  const most = room * indexShare;
  const plain = context.notice(header);
  if (settings.folds === undefined) return plain;
  // Messages that an extension of the host leaves out are not repeated either.
  const turns = input.turns.slice(0, count).map((one, turn) => ({
    ...one,
    user: leftOut.has({ turn, step: -1 }) ? null : one.user,
    steps: one.steps.filter((_, step) => !leftOut.has({ turn, step })),
  }));
  const made = (width: number, from: number): NoticeEntry => {
    const lines = turns
      .slice(from)
      .map((turn, at) =>
        turnLine(turn, from + at + 1, { width, summary: epochs.summaryOf?.(from + at) }),
      );
    return context.notice(`${header}\n${fenced(lines.join("\n"))}`);
  };
  const shortest = Math.min(...lineWidths);
  let tokens = 0;
  for (const width of lineWidths) {
    const notice = made(width, 0);
    tokens = context.tokensOf(notice);
    if (tokens <= most) return notice;
  }
  const each = tokens / count;
  const from = count - Math.floor(most / each);
  const some = from < count ? made(shortest, from) : plain;
  return context.tokensOf(some) <= most ? some : plain;
}
