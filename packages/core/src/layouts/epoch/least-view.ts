import { textOf } from "../../chat/message.ts";
import { userText } from "../../render/user-text.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { omissionNotices } from "../../lines/notices.ts";
import { hasFiles } from "../../cost/media-facts.ts";
import type { NoticeEntry, UserEntry, ViewEntry } from "../../view/view-entry.ts";
import { sized } from "./entry-messages.ts";
import type { PlanningContext } from "./planning-context.ts";
import { wholeUserEntry } from "./user-entries.ts";
import { tokensOf, total } from "./view-tokens.ts";

/** Returns the notice that replaces messages which had to leave the view. */
export function omissionNotice(
  context: PlanningContext,
  textFor: (chatHandle: string) => string,
): NoticeEntry {
  const text = textFor(context.input.chatHandle);
  return sized<NoticeEntry>({ type: "notice", text }, context.source);
}

/** Whether an entry is a message of the user with files. No tool can bring them back. */
export function holdsFiles({ input }: PlanningContext, entry: ViewEntry): entry is UserEntry {
  return entry.type === "user" && hasFiles(input.turns[entry.turn]?.user ?? "");
}

/** Groups entries so that an answer and its results are together. */
export function entriesByStep(entries: readonly ViewEntry[]): readonly (readonly ViewEntry[])[] {
  const groups: ViewEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (entry.type === "result" && last !== undefined) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/**
 * Returns the smallest useful view: the newest user message, in part if necessary, the newest of the earlier ones with
 * files, one notice for the other messages, and as many of the newest steps as fit if `spare` tokens of the budget stay
 * free.
 */
export function leastView(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  budget: number,
  spare: number,
): readonly ViewEntry[] {
  const at = entries.findLastIndex(({ type }) => type === "user");
  const user = at === -1 ? undefined : wholeUserEntry(context, (entries[at] as UserEntry).turn);
  if (user !== undefined && tokensOf(context, user) > budget)
    return userInPart(context, user, budget);
  const line = omissionNotice(context, omissionNotices.others.write);
  const held = entries.slice(0, Math.max(0, at)).filter((entry) => holdsFiles(context, entry));
  const filesRoom = budget - (user === undefined ? 0 : tokensOf(context, user));
  const files = newestGroups(
    context,
    held.map((entry) => [entry]),
    filesRoom - tokensOf(context, line),
  );
  const begin: ViewEntry[] = [...files, ...(user === undefined ? [] : [user])];
  const groups = entriesByStep(entries.slice(at + 1).filter(({ type }) => type !== "notice"));
  const room = budget - total(context, begin) - tokensOf(context, line);
  const kept = newestGroups(context, groups, Math.max(0, room - spare));
  const isAll = at <= 0 && kept.length === groups.flat().length;
  const lines = room < 0 || (isAll && user !== undefined) ? [] : [line];
  return user === undefined && lines.length === 0 ? [] : [...begin, ...lines, ...kept];
}

function newestGroups(
  context: PlanningContext,
  groups: readonly (readonly ViewEntry[])[],
  room: number,
): readonly ViewEntry[] {
  const kept: ViewEntry[] = [];
  let remaining = room;
  for (const group of groups.toReversed()) {
    const tokens = total(context, group);
    if (tokens > remaining) break;
    kept.unshift(...group);
    remaining -= tokens;
  }
  return kept;
}

/**
 * Returns as much of the user message as the budget allows, with its files if they fit. Its note shows how the rest is
 * read.
 */
function userInPart(
  context: PlanningContext,
  { turn }: UserEntry,
  budget: number,
): readonly ViewEntry[] {
  const said = context.input.turns[turn]?.user ?? "";
  if (hasFiles(said)) {
    const withFiles = textInPart(
      context,
      { type: "user", turn, files: true },
      textOf(said),
      budget,
    );
    if (withFiles.length > 0) return withFiles;
  }
  return textInPart(context, { type: "user", turn }, userText(said), budget);
}

function textInPart(
  context: PlanningContext,
  entry: Omit<UserEntry, "tokens">,
  text: string,
  budget: number,
): readonly ViewEntry[] {
  const tokens = rawEstimator.text(text);
  let head = text.length;
  const { factor = 1 } = context.input;
  for (let room = Math.floor((budget - 40) / factor); room > 0; room = Math.floor(room * 0.8) - 1) {
    head = Math.min(head, tokens <= room ? text.length : Math.floor((text.length * room) / tokens));
    const made = sized<UserEntry>({ ...entry, head }, context.source);
    if (tokensOf(context, made) <= budget) return [made];
  }
  return [];
}
