import { groupsOf, type ListGroups, madeOnce } from "@self-context-manager/objects";
import { contentParts, hasLeft, partsOf, type ViewEntry } from "./view-entry.ts";

/**
 * What is known of a group of entries. Each list has the places in the group of the entries that a pass over a view looks
 * at, so that the pass costs nothing for all others.
 */
interface GroupFacts {
  readonly tokens: number;
  /** The handles of the results in their original form. */
  readonly bare: ReadonlySet<string>;
  readonly content: Places;
  /** Entries that have parts, or show content. */
  readonly parts: Places;
  /** Entries that show content, and results of calls that changed a file. */
  readonly shown: Places;
  /** Results that have not arrived. */
  readonly waiting: Places;
  readonly answers: Places;
  readonly notices: Places;
  readonly added: Places;
  /** User messages of which a part has left. */
  readonly shortened: Places;
  /** Answers without any of their thinking. */
  readonly thoughtless: Places;
}

type Places = readonly number[];

/** A kind of entries that a pass can look at alone. */
export type EntryMark = Exclude<keyof GroupFacts, "bare" | "tokens">;

const known = new WeakMap<readonly ViewEntry[], GroupFacts>();

/** Returns what is known of a group of `groupsOf`. */
export function factsOf(group: readonly ViewEntry[]): GroupFacts {
  return madeOnce(known, group, makeFacts);
}

function makeFacts(group: readonly ViewEntry[]): GroupFacts {
  const bare = new Set<string>();
  let tokens = 0;
  for (const entry of group) {
    tokens += entry.tokens;
    if (entry.type === "result" && entry.form === "bare" && entry.of !== undefined)
      bare.add(entry.of);
  }
  const places = (test: (entry: ViewEntry) => boolean): Places =>
    group.flatMap((entry, at) => (test(entry) ? [at] : []));
  return {
    tokens,
    bare,
    content: places((entry) => contentParts(entry).length > 0),
    parts: places((entry) => partsOf(entry).length > 0 || contentParts(entry).length > 0),
    shown: places((entry) => contentParts(entry).length > 0 || isChange(entry)),
    waiting: places((entry) => entry.type === "result" && entry.of === undefined),
    answers: places(({ type }) => type === "assistant"),
    notices: places(({ type }) => type === "notice"),
    added: places(({ type }) => type === "added"),
    shortened: places((entry) => entry.type === "user" && entry.parts?.some(hasLeft) === true),
    thoughtless: places((entry) => entry.type === "assistant" && entry.thinking === "all-left-out"),
  };
}

/** Whether an entry is the result of a call that changed a file. */
function isChange(entry: ViewEntry): boolean {
  return entry.type === "result" && entry.replaces !== undefined && entry.of !== undefined;
}

/** Returns the indexes of the entries with a mark, in order. */
export function marked(entries: readonly ViewEntry[], mark: EntryMark): readonly number[] {
  const found: number[] = [];
  let start = 0;
  for (const some of groupsOf(groupsOf(entries))) {
    const { places, length } = placesIn(some, mark);
    for (const at of places) found.push(start + at);
    start += length;
  }
  return found;
}

/** The places of a kind of entries in groups that follow one another, and the number of all entries there. */
interface GroupsPlaces {
  readonly places: Places;
  readonly length: number;
}

const placesOfGroups = new WeakMap<
  ListGroups<ViewEntry>,
  Partial<Record<EntryMark, GroupsPlaces>>
>();

/** A very long view has many groups, so the places are kept for each 64 groups too. */
function placesIn(groups: ListGroups<ViewEntry>, mark: EntryMark): GroupsPlaces {
  const kept = madeOnce(
    placesOfGroups,
    groups,
    (): Partial<Record<EntryMark, GroupsPlaces>> => ({}),
  );
  const before = kept[mark];
  if (before !== undefined) return before;
  const places: number[] = [];
  let length = 0;
  for (const group of groups) {
    for (const at of factsOf(group)[mark]) places.push(length + at);
    length += group.length;
  }
  return (kept[mark] = { places, length });
}

/** Returns the index of the first entry with a mark that meets a condition, or -1. */
export function firstMarked(
  entries: readonly ViewEntry[],
  mark: EntryMark,
  meets: (entry: ViewEntry, index: number) => boolean,
): number {
  let start = 0;
  for (const some of groupsOf(groupsOf(entries))) {
    const { places, length } = placesIn(some, mark);
    for (const at of places)
      if (meets(entries[start + at] as ViewEntry, start + at)) return start + at;
    start += length;
  }
  return -1;
}

/** The handles of the results in their original form, of groups that follow one another. */
const bareInGroups = new WeakMap<ListGroups<ViewEntry>, ReadonlySet<string>>();

/** Returns the handles of the results in their original form, as a few sets. */
export function bareHandles(entries: readonly ViewEntry[]): readonly ReadonlySet<string>[] {
  return groupsOf(groupsOf(entries)).map((some) =>
    madeOnce(bareInGroups, some, () => new Set(some.flatMap((group) => [...factsOf(group).bare]))),
  );
}

/** Returns the tokens of entries, before any calibration. `from`, `to`: the part of the list. */
export function rawTokens(
  entries: readonly ViewEntry[],
  from = 0,
  to: number = entries.length,
): number {
  let sum = 0;
  let start = 0;
  for (const group of groupsOf(entries)) {
    const end = start + group.length;
    if (from <= start && end <= to) sum += factsOf(group).tokens;
    else
      for (let index = Math.max(from, start); index < Math.min(to, end); index += 1)
        sum += entries[index]?.tokens ?? 0;
    start = end;
  }
  return sum;
}
