import { isText } from "../chat/message.ts";
import { messageTokens } from "../layout/message-tokens.ts";
import type { UseKey } from "../policy/activation-policy.ts";
import {
  contentParts,
  type NoticeEntry,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type UserEntry,
  type ViewEntry,
} from "../views/view-entry.ts";
import { endsOf, missingObjects } from "./deliver.ts";
import { shownParts } from "./shown-parts.ts";
import { leavables, referenceOf, sweep } from "./sweep.ts";
import { messageOf, rawEstimator, sized, type ViewDraft } from "./view-draft.ts";

/** Where a budget forces an end, it is gone down to so much of it, so that the next call does not force another. */
const share = 0.75;

export interface FittedView {
  readonly entries: readonly ViewEntry[];
  readonly cut: number;
  readonly left: readonly UseKey[];
}

/**
 * Makes a view fit its budget (decision D54): earlier contents leave first; where prose alone is too much, its oldest
 * turns, then the oldest steps of the last; then what was asked for last and what is pinned are shown in part, and at
 * last the newest user message itself.
 */
export function fitBudget(draft: ViewDraft, entries: readonly ViewEntry[]): FittedView {
  const budget = draft.input.budget ?? Number.POSITIVE_INFINITY;
  const unsentFrom = entries.findLastIndex(({ is }) => is === "assistant") + 1;
  const leaving = leavables(draft, entries, unsentFrom).filter(({ keys }) =>
    keys.every((key) => draft.active.get(key)?.isPinned !== true),
  );
  const earlier = leaving.filter(({ index }) => index < unsentFrom);
  const swept = sweep(draft, entries, earlier, unsentFrom);
  let fitted = swept.entries;
  if (total(draft, fitted) > budget) {
    fitted = withoutOldTurns(draft, fitted, budget);
    fitted = contentsInPart(draft, fitted, budget);
  }
  if (total(draft, fitted) > budget) fitted = userInPart(draft, fitted, budget);
  const cut = fitted.findIndex((entry, index) => entry !== entries[index]);
  return { entries: fitted, cut: cut === -1 ? fitted.length : cut, left: swept.left };
}

/** Tokens of an entry's message by the session's own estimator. */
export function tokensOf(draft: ViewDraft, entry: ViewEntry): number {
  if ((draft.input.factor ?? 1) === 1) return entry.tokens;
  const { estimator } = draft.input;
  const known = counted.get(entry);
  if (known?.estimator === estimator) return known.tokens;
  const tokens = messageTokens(messageOf(entry, draft.source), estimator);
  counted.set(entry, { estimator, tokens });
  return tokens;
}

const counted = new WeakMap<ViewEntry, { readonly estimator: unknown; readonly tokens: number }>();

export function total(draft: ViewDraft, entries: readonly ViewEntry[]): number {
  let tokens = 0;
  for (const entry of entries) tokens += tokensOf(draft, entry);
  return tokens;
}

/** What an entry takes where its content is not shown. */
function proseTokens(draft: ViewDraft, entry: ViewEntry): number {
  return contentParts(entry).length === 0 ? tokensOf(draft, entry) : 24;
}

function withoutOldTurns(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  budget: number,
): readonly ViewEntry[] {
  let prose = entries.reduce((sum, entry) => sum + proseTokens(draft, entry), 0);
  if (prose <= budget * 0.9) return entries;
  const starts = entries.flatMap((entry, index) => (entry.is === "user" ? [index] : []));
  const lastStart = starts.at(-1) ?? 0;
  const drop = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) {
      const entry = entries[index];
      if (entry !== undefined) prose -= proseTokens(draft, entry);
    }
  };
  let first = 0;
  for (const start of starts) {
    if (prose <= budget * share) break;
    drop(first, start);
    first = start;
  }
  let kept = entries.slice(first);
  const notices: ViewEntry[] = [];
  const user = entries[first];
  if (first > 0 && user?.is === "user" && user.turn > 0)
    notices.push(leftLine(draft, `[turns 1 to ${user.turn} are not shown`));
  if (prose > budget * share && first === lastStart) {
    const head = kept[0]?.is === "user" ? kept.slice(0, 1) : [];
    const groups = stepGroups(kept.slice(head.length));
    let gone = 0;
    while (gone < groups.length - 1 && prose > budget * share) {
      for (const entry of groups[gone] ?? []) prose -= proseTokens(draft, entry);
      gone += 1;
    }
    const line =
      gone === 0 ? [] : [leftLine(draft, `[the first ${gone} steps of this turn are not shown`)];
    kept = [...head, ...line, ...groups.slice(gone).flat()];
  }
  const shorter = [...notices, ...kept];
  if (shorter[0]?.is === "assistant" || shorter[0]?.is === "result")
    shorter.unshift(leftLine(draft, "[earlier messages are not shown"));
  return [...shorter, ...missingObjects(draft, shownParts(shorter))];
}

function leftLine(draft: ViewDraft, what: string): NoticeEntry {
  const how = `activate ${draft.input.chatHandle} with from and to reads their lines]`;
  return sized<NoticeEntry>({ is: "notice", text: `${what}; ${how}` }, draft.source);
}

/** An answer with its results stays together. */
function stepGroups(entries: readonly ViewEntry[]): readonly (readonly ViewEntry[])[] {
  const groups: ViewEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (entry.is === "result" && last !== undefined) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** Pinned contents first, then the newest, as far as there is room; the last in part. */
function contentsInPart(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  budget: number,
): readonly ViewEntry[] {
  if (total(draft, entries) <= budget) return entries;
  const contents = entries.flatMap((entry, index) =>
    contentParts(entry).length === 0 ? [] : [{ entry, index }],
  );
  const isPinned = (entry: ViewEntry): boolean =>
    contentParts(entry).some(({ of }) => draft.active.get(of)?.isPinned === true);
  const ordered = [
    ...contents.filter(({ entry }) => isPinned(entry)).toReversed(),
    ...contents.filter(({ entry }) => !isPinned(entry)).toReversed(),
  ];
  const fitted = [...entries];
  const references = new Map(
    contents.map(({ entry, index }) => [index, withoutContent(draft, entry)]),
  );
  let room = budget;
  for (const [index, entry] of entries.entries()) {
    const reference = references.get(index);
    room -= tokensOf(draft, reference ?? entry);
  }
  for (const { entry, index } of ordered) {
    const reference = references.get(index);
    if (reference === undefined) continue;
    const mine = room + tokensOf(draft, reference);
    const shown = tokensOf(draft, entry) <= mine ? entry : inPart(draft, entry, mine);
    const chosen = shown !== undefined && tokensOf(draft, shown) <= mine ? shown : reference;
    fitted[index] = chosen;
    room = mine - tokensOf(draft, chosen);
  }
  return fitted;
}

function withoutContent(draft: ViewDraft, entry: ViewEntry): ViewEntry {
  if (entry.is === "result") return referenceOf(draft, entry);
  if (entry.is !== "object") return entry;
  const shows = entry.shows.map(({ of, version }) => ({ of, version, as: "line" as const }));
  return sized<ObjectEntry>({ is: "object", shows }, draft.source);
}

/** The beginning and end of the first text that an entry shows; undefined where there is no room for that. */
function inPart(draft: ViewDraft, entry: ViewEntry, room: number): ViewEntry | undefined {
  if (entry.is !== "result" && entry.is !== "object") return undefined;
  const [first, ...rest] = entry.shows ?? [];
  if (first === undefined) return undefined;
  const content = draft.source.object(first.of, first.version)?.stored.body.content;
  if (typeof content !== "string") return undefined;
  const factor = draft.input.factor ?? 1;
  for (
    let tokens = Math.floor(room / factor) - 60;
    tokens > 40;
    tokens = Math.floor(tokens * 0.8)
  ) {
    const ends = endsOf(content, Math.floor(tokens * 0.75), Math.floor(tokens * 0.25));
    const part: ShownPart = { of: first.of, version: first.version, as: "part", ...ends };
    const others = rest.map(({ of, version }) => ({ of, version, as: "line" as const }));
    const shows = [part, ...others.filter(({ of }) => of !== first.of)];
    const made: ViewEntry =
      entry.is === "object"
        ? sized<ObjectEntry>({ is: "object", shows }, draft.source)
        : sized<ResultEntry>({ ...resultPlace(entry), as: "shown", shows }, draft.source);
    if (tokensOf(draft, made) <= room) return made;
  }
  return undefined;
}

function resultPlace(entry: ResultEntry): Omit<ResultEntry, "tokens" | "as" | "shows"> {
  const { is, turn, step, call, of, version, replaces } = entry;
  return {
    is,
    turn,
    step,
    call,
    ...(of === undefined ? {} : { of }),
    ...(version === undefined ? {} : { version }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

/** Where even that is too much: the newest user message alone, as much of it as there is room for. */
function userInPart(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  budget: number,
): readonly ViewEntry[] {
  const newest = entries.findLast((entry): entry is UserEntry => entry.is === "user");
  if (newest === undefined) return [];
  const whole = sized<UserEntry>({ is: "user", turn: newest.turn }, draft.source);
  if (tokensOf(draft, whole) <= budget) return withLastStep(draft, entries, whole, budget);
  const said = draft.input.turns[newest.turn]?.user ?? "";
  const text =
    typeof said === "string"
      ? said
      : said.map((block) => (isText(block) ? block.text : `(${block.type})`)).join("\n");
  let head = text.length;
  for (let room = budget - 40; room > 0; room = Math.floor(room * 0.8) - 1) {
    const part =
      rawEstimator.text(text) <= room
        ? text.length
        : Math.floor((text.length * room) / rawEstimator.text(text));
    head = Math.min(head, part);
    const made = sized<UserEntry>({ is: "user", turn: newest.turn, head }, draft.source);
    if (tokensOf(draft, made) <= budget) return [made];
  }
  return [];
}

/** The user's message and as many of the newest steps after it as there is room for. */
function withLastStep(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  user: UserEntry,
  budget: number,
): readonly ViewEntry[] {
  const at = entries.findLastIndex(({ is }) => is === "user");
  const groups = stepGroups(entries.slice(at + 1).filter(({ is }) => is !== "notice"));
  let room = budget - tokensOf(draft, user);
  const kept: ViewEntry[] = [];
  for (const group of groups.toReversed()) {
    const tokens = total(draft, group);
    if (tokens > room) break;
    kept.unshift(...group);
    room -= tokens;
  }
  return [user, ...kept];
}
