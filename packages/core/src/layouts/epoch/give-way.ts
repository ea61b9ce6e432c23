import { omissionNotices } from "../../lines/notices.ts";
import { filledShare } from "../../view/filled-share.ts";
import { once, shownParts } from "../../view/shown-parts.ts";
import {
  contentParts,
  type NoticeEntry,
  partsOf,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { withoutFreeTexts } from "./free-texts.ts";
import { withFolds } from "./folds.ts";
import { contentInPart, userInPart, withoutContent, withoutRoom } from "./in-part.ts";
import { begunByUser } from "./new-messages.ts";
import { foldedOnly, type PlanningContext, withoutObjects } from "./planning-context.ts";
import { redraw } from "./redraw.ts";
import { firstOther, firstUnsent } from "./same-entries.ts";
import { turnsNotice } from "./turns-notice.ts";
import { wholeUserEntry } from "./user-entries.ts";
import { missingObjects } from "./wanted-parts.ts";

/**
 * Returns a view that fits its budget, although it is too long when no earlier content is shown. It fills no more than a
 * share of the budget, except if contents that are pinned or were just activated, or the newest user message, need more.
 * What gives way, in order (decisions D54, D71): the finished steps, which are folded; the oldest turns, until the other
 * messages have room, with pinned contents and those that were just activated; the oldest steps of the last turn, if its
 * messages alone are too long; other contents, which are then shown in part; and at last the newest user message itself.
 * `activated`: the objects that were activated since the last view and that no result shows.
 */
export function shortened(
  given: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): readonly ViewEntry[] {
  const { context, messages } = foldedMessages(given, entries, activated);
  const inParts = contentsInPart(context, messages, activated);
  const isEnough = mostTokens(context, inParts) <= context.budget;
  const least = isEnough ? inParts : leastView(context, inParts);
  const cut = firstOther(entries, least);
  return withoutFreeTexts(context, redraw(context, least, { cut }), cut);
}

/** Messages that have room, and the context in which the outputs that they no longer show are inactive. */
interface Fitting {
  readonly context: PlanningContext;
  readonly messages: readonly ViewEntry[];
}

/**
 * Returns the messages that have room. If some must leave, all steps of earlier turns are folded first, and those of the
 * present turn if steps of it had to leave.
 */
function foldedMessages(
  given: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): Fitting {
  const { folds } = given.settings;
  const ages = folds === undefined ? [] : [folds.age, 0];
  let fitting: Fitting = { context: given, messages: entries };
  for (const present of [undefined, ...ages]) {
    const folded =
      present === undefined ? entries : withFolds(given, entries, 0, { earlier: 0, present });
    const context = withoutObjects(given, foldedOnly(given, folded));
    const messages = newestMessages(context, folded, activated);
    fitting = { context, messages };
    const hasCut = messages.some((entry) => isStepsNotice(entry) && !folded.includes(entry));
    if (messages === folded || (present !== undefined && !hasCut)) break;
  }
  return fitting;
}

const stepsNotice = new RegExp(`^${omissionNotices.steps.pattern}$`, "u");

function isStepsNotice(entry: ViewEntry): entry is NoticeEntry {
  return entry.type === "notice" && stepsNotice.test(entry.text);
}

/**
 * The place of a content in the order: 0 for a pinned one, 1 for one that was just activated, 2 for others; undefined for
 * an entry without content. Just activated are the results of the newest answer and what is in `activated` behind it.
 */
function contentRanks(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): readonly (0 | 1 | 2 | undefined)[] {
  const unsentFrom = firstUnsent(entries);
  return entries.map((entry, index) => {
    const parts = contentParts(entry);
    if (parts.length === 0 || context.isNewestUser(entry)) return undefined;
    if (parts.some(({ of }) => context.isPinned(of))) return 0;
    const isNew = entry.type === "result" || parts.some(({ of }) => activated.has(of));
    return index >= unsentFrom && isNew ? 1 : 2;
  });
}

/**
 * Returns the view from the first turn on that has room, or from a step of the last turn on. One line replaces the other
 * messages. Objects whose content left with a turn are shown at the end.
 */
function newestMessages(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): readonly ViewEntry[] {
  const ranks = contentRanks(context, entries, activated);
  const ahead = entries.reduce((sum, entry, index) => {
    const more = context.tokensOf(entry) - proseTokens(context, [entry]);
    return (ranks[index] ?? 2) < 2 ? sum + Math.max(0, more) : sum;
  }, 0);
  const prose = proseTokens(context, entries);
  const most = context.budget * filledShare;
  if (prose + ahead <= most) return entries;
  const starts = entries.flatMap(({ type }, index) => (type === "user" ? [index] : []));
  const room = most - ahead;
  const notice = context.tokensOf(turnsNotice(context, starts.length, room));
  /** The tokens of a turn that leaves. A content of it that cannot leave is shown whole at the end. */
  const leaving = (from: number, to: number): number =>
    proseTokens(
      context,
      entries.slice(from, to).filter((_, index) => (ranks[from + index] ?? 2) === 2),
    );
  let first = 0;
  let left = prose;
  for (const start of starts) {
    if (left <= room - (first === 0 ? 0 : notice)) break;
    left -= leaving(first, start);
    first = start;
  }
  const rest = first === 0 ? entries : entries.slice(first);
  const isLast = first === (starts.at(-1) ?? 0);
  const kept = isLast
    ? newestSteps(context, rest, most - (first === 0 ? 0 : notice), notice)
    : rest;
  // Contents come back only if messages leave.
  if (kept === entries) return entries;
  const user = entries[first];
  const omitted = first > 0 && user?.type === "user" ? user.turn : 0;
  const begun = omitted === 0 ? kept : [turnsNotice(context, omitted, room), ...kept];
  const earlier = omissionNotices.earlier.write(context.input.chatHandle);
  const messages = begunByUser(context, begun, earlier);
  const drawn = redraw(context, messages, { cut: firstOther(entries, messages) });
  return [...drawn, ...missingObjects(context, shownParts(drawn))];
}

/**
 * Returns a turn with a notice instead of its oldest steps, so that its prose has at most some tokens. The newest step
 * stays. `line`: the tokens of the notice.
 */
function newestSteps(
  context: PlanningContext,
  turn: readonly ViewEntry[],
  most: number,
  line: number,
): readonly ViewEntry[] {
  const head = turn[0]?.type === "user" ? turn.slice(0, 1) : [];
  const groups = entriesByStep(turn.slice(head.length));
  let prose = proseTokens(context, turn);
  let gone = 0;
  for (; gone < groups.length - 1 && prose > most - (gone === 0 ? 0 : line); gone += 1)
    prose -= proseTokens(context, groups[gone] ?? []);
  if (gone === 0) return turn;
  const count = gone + groups.slice(0, gone).reduce((sum, group) => sum + stoodFor(group), 0);
  const notice = context.notice(omissionNotices.steps.write(count, context.input.chatHandle));
  return [...head, notice, ...groups.slice(gone).flat()];
}

/** Returns the number of further steps that a group of entries stands for: those of its fold, or of an earlier notice. */
function stoodFor([first]: readonly ViewEntry[]): number {
  if (first?.type === "assistant") return first.fold?.steps.length ?? 0;
  if (first === undefined || !isStepsNotice(first)) return 0;
  return Number(/\d+/u.exec(first.text)?.[0] ?? 1) - 1;
}

/** Returns the tokens of entries whose contents are not shown. */
function proseTokens(context: PlanningContext, entries: readonly ViewEntry[]): number {
  // Those of the newest user message cannot leave.
  const prose = entries.map((entry) =>
    context.isNewestUser(entry) || contentParts(entry).length === 0
      ? entry
      : withoutContent(context, entry),
  );
  return mostTokens(context, prose);
}

/**
 * Shows pinned contents first, then those that were just activated, then the newest, as far as the budget allows.
 * Contents that do not fit whole are shown in part or by their line. Only those that were just activated, and pinned ones
 * if they are whole, may fill more than the share of the budget.
 */
function contentsInPart(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): readonly ViewEntry[] {
  const { budget } = context;
  if (mostTokens(context, entries) <= budget * filledShare) return entries;
  const ranks = contentRanks(context, entries, activated);
  const unsentFrom = firstUnsent(entries);
  // What is outside of results has a line only if there is room for it, and each version has one.
  const lined = linesOutside(entries);
  const lineOf = (entry: ViewEntry): ViewEntry | undefined => {
    if (entry.type !== "object") return withoutContent(context, entry);
    const names = entry.shows.map(versionName);
    if (names.every((name) => lined.has(name))) return undefined;
    for (const name of names) lined.add(name);
    return withoutContent(context, entry);
  };
  const fitted: (ViewEntry | undefined)[] = [...entries];
  for (const [index, entry] of [...entries.entries()].toReversed()) {
    const rank = ranks[index];
    if (rank !== undefined) fitted[index] = isLater(entry, rank) ? undefined : lineOf(entry);
  }
  let room = budget - mostTokens(context, present(fitted));
  const ordered = [...ranks.entries()]
    .toReversed()
    .toSorted(([, left = 3], [, right = 3]) => left - right);
  for (const [index, rank] of ordered) {
    const [entry, line] = [entries[index], fitted[index]];
    if (rank === undefined || entry === undefined) continue;
    const mine = room + context.total(present([line]));
    // A part leaves some of the budget free, so that the next call does not exceed it at once.
    const within = mine - budget * (1 - filledShare);
    const most = rank === 2 ? within : mine;
    const isWhole = context.tokensOf(entry) <= most;
    // Of a new output, as much is shown as there is room: a longer one is never shown with less.
    const shown = isWhole ? entry : contentInPart(context, entry, rank === 1 ? mine : within);
    const refused = index >= unsentFrom ? withoutRoom(context, entry) : undefined;
    const named = isLater(entry, rank) ? lineOf(entry) : undefined;
    const chosen =
      [shown, refused].find((one) => one !== undefined && context.tokensOf(one) <= mine) ??
      line ??
      [named].find((one) => one !== undefined && context.tokensOf(one) <= within);
    fitted[index] = chosen;
    room = mine - context.total(present([chosen]));
  }
  return present(fitted);
}

/** Whether an entry gets its line only after the contents that go before it have room. */
function isLater({ type }: ViewEntry, rank: 0 | 1 | 2): boolean {
  return type === "object" && rank === 2;
}

/** Returns the names of the versions that have a line outside results. */
function linesOutside(entries: readonly ViewEntry[]): Set<string> {
  const parts = entries.flatMap((entry) => (entry.type === "object" ? entry.shows : []));
  return new Set(parts.filter(({ form }) => form === "line").map(versionName));
}

function versionName({ of, version }: ShownPart): string {
  return `${of}@${version}`;
}

function present(entries: readonly (ViewEntry | undefined)[]): readonly ViewEntry[] {
  return entries.filter((entry) => entry !== undefined);
}

/**
 * Returns the smallest useful view: the newest user message, in part if necessary, before it one notice for the other
 * messages, and behind it the newest step, with as many of those before it as leave room for the calls that follow.
 */
function leastView(context: PlanningContext, entries: readonly ViewEntry[]): readonly ViewEntry[] {
  const { budget } = context;
  const at = entries.findLastIndex(({ type }) => type === "user");
  const last = entries[at];
  const whole = last?.type === "user" ? wholeUserEntry(context, last.turn) : undefined;
  const isTooLong = whole !== undefined && context.tokensOf(whole) > budget;
  const user = isTooLong ? userInPart(context, whole.turn) : whole;
  if (isTooLong && user === undefined) return [];
  const line = context.notice(omissionNotices.others.write(context.input.chatHandle));
  const asked = user === undefined ? [] : [user];
  const room = budget - context.total([...asked, line]);
  const all = entriesByStep(entries.slice(at + 1).filter(({ type }) => type !== "notice"));
  const groups = withRoomForNewest(context, all, room);
  const kept = newestOf(context, groups, room, budget * (1 - filledShare));
  const isAll = at <= 0 && groups === all && kept.length === groups.flat().length;
  const lines = room < 0 || (isAll && user !== undefined) ? [] : [line];
  return user === undefined && lines.length === 0 ? [] : [...lines, ...asked, ...kept];
}

/** Returns groups of which the newest has no fold if it has no room with it: what was just asked for is shown first. */
function withRoomForNewest(
  context: PlanningContext,
  groups: readonly (readonly ViewEntry[])[],
  room: number,
): readonly (readonly ViewEntry[])[] {
  const [answer, ...results] = groups.at(-1) ?? [];
  if (answer?.type !== "assistant" || answer.fold === undefined) return groups;
  if (mostTokens(context, [answer, ...results]) <= room) return groups;
  const { fold: _fold, ...rest } = answer;
  return [...groups.slice(0, -1), [context.sized(rest), ...results]];
}

/** Returns as many of the newest groups of entries as have room. All but the newest leave some of it free. */
function newestOf(
  context: PlanningContext,
  groups: readonly (readonly ViewEntry[])[],
  room: number,
  free: number,
): readonly ViewEntry[] {
  const kept: ViewEntry[] = [];
  let remaining = Math.max(0, room);
  for (const group of groups.toReversed()) {
    remaining -= mostTokens(context, group);
    if (remaining < (kept.length === 0 ? 0 : free)) break;
    kept.unshift(...group);
  }
  return kept;
}

/** Groups entries so that an answer and its results are together. */
function entriesByStep(entries: readonly ViewEntry[]): readonly (readonly ViewEntry[])[] {
  const groups: ViewEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (entry.type === "result" && last !== undefined) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** Returns the most tokens that entries have when they are drawn again behind a cut that removes contents above. */
function mostTokens(context: PlanningContext, entries: readonly ViewEntry[]): number {
  return entries.reduce((sum, entry) => {
    const tokens = context.tokensOf(entry);
    const other = withoutAbove(context, entry);
    return sum + (other === entry ? tokens : Math.max(tokens, context.tokensOf(other)));
  }, 0);
}

/** Returns an entry that refers to no content above. */
function withoutAbove(context: PlanningContext, entry: ViewEntry): ViewEntry {
  if (entry.type !== "result" && entry.type !== "object") return entry;
  const parts = partsOf(entry);
  if (!parts.some(refersAbove)) return entry;
  const shows = parts.map((part) => (refersAbove(part) ? context.lineOf(part) : part));
  return context.sized({ ...entry, shows: once(shows) });
}

function refersAbove({ form }: ShownPart): boolean {
  return form === "above" || form === "diff";
}
