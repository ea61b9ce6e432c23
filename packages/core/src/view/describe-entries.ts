import {
  type ArgumentStub,
  hasLeft,
  type ResultEntry,
  type ShownPart,
  type UserEntry,
  type UserPart,
  type ViewEntry,
} from "./view-entry.ts";

/** A version of an object, named as in a view. */
export interface VersionName {
  readonly handle: string;
  readonly version: number;
}

/** One entry of a view, described for a person. */
export interface DescribedEntry {
  /** The kind of entry: `user`, `answer`, `result`, `object`, `notice` … */
  readonly what: string;
  /** Its place in the chat, counted from 1: `turn 3`, `turn 3, step 2`; empty for an entry that has none. */
  readonly place: string;
  /** The versions that the entry names, each once. */
  readonly versions: readonly VersionName[];
  /** How it was rendered. */
  readonly how: string;
  /** Estimated tokens; undefined if the layout does not count single entries. */
  readonly tokens?: number;
}

/** Describes the entries of a record in order. */
export function describeEntries(entries: readonly ViewEntry[]): readonly DescribedEntry[] {
  return entries.map((entry) => {
    const known = described.get(entry);
    if (known !== undefined) return known;
    const made = onceEach(describeEntry(entry));
    // Most entries are in many views.
    if (Object.isFrozen(entry)) described.set(entry, made);
    return made;
  });
}

const described = new WeakMap<ViewEntry, DescribedEntry>();

/** Returns every version that described entries name, each once, by `handle@version`. */
export function namedVersions(
  entries: readonly DescribedEntry[],
): ReadonlyMap<string, VersionName> {
  const named = new Map<string, VersionName>();
  for (const { versions } of entries)
    for (const one of versions) named.set(`${one.handle}@${one.version}`, one);
  return named;
}

function onceEach(entry: DescribedEntry): DescribedEntry {
  return { ...entry, versions: [...namedVersions([entry]).values()] };
}

function describeEntry(entry: ViewEntry): DescribedEntry {
  const { tokens } = entry;
  switch (entry.type) {
    case "user": {
      const { parts = [] } = entry;
      const versions = parts.map(({ of, version }) => ({ handle: of, version }));
      return {
        what: "user",
        place: `turn ${entry.turn + 1}`,
        versions,
        how: userWay(entry),
        tokens,
      };
    }
    case "assistant": {
      const { stubs = [], thinking, fold } = entry;
      const thought = { "left-out": "its thinking", "all-left-out": "all its thinking" };
      const left = [...(thinking === undefined ? [] : [thought[thinking]]), ...stubs.map(stubText)];
      const own = left.length === 0 ? "unchanged" : `without ${left.join(", ")}`;
      const how = fold === undefined ? own : `${own}, with a fold of ${fold.steps.length} steps`;
      const versions = stubs.flatMap(({ of, version, before = 0 }) => [
        ...versionOf(of, version),
        ...(before === 0 ? [] : versionOf(of, before)),
      ]);
      return { what: "answer", place: placeOf(entry), versions, how, tokens };
    }
    case "opaque":
      return { what: "host's", place: placeOf(entry), versions: [], how: "unchanged", tokens };
    case "summary":
      return { what: "summary", place: "", versions: [], how: "unchanged", tokens };
    case "notice":
      return { what: "notice", place: "", versions: [], how: "its text", tokens };
    case "added":
      return { what: "added", place: "", versions: [], how: "for this call only", tokens };
    case "object":
      return {
        what: "object",
        place: "",
        versions: partVersions(entry.shows),
        how: partsText(entry.shows),
        tokens,
      };
    case "result":
      return { ...describeResult(entry), tokens };
  }
}

function userWay({ head, parts = [] }: UserEntry): string {
  if (head !== undefined) return `its first ${head} characters`;
  const left = parts.filter(hasLeft);
  return left.length === 0 ? "unchanged" : left.map(leftText).join("; ");
}

function leftText({ of, version, head, tail, gone }: UserPart): string {
  if (gone === true) return `without the file of ${of} v${version}`;
  return `the first ${head} and last ${tail} characters of ${of} v${version}`;
}

function describeResult(entry: ResultEntry): Omit<DescribedEntry, "tokens"> {
  const { of, version, shows = [], replaces } = entry;
  const own = versionOf(of, version);
  const replaced =
    replaces === undefined
      ? []
      : [
          { handle: replaces.of, version: replaces.version },
          { handle: replaces.of, version: replaces.above },
        ];
  const ways = {
    bare: of === undefined ? "no result" : "unchanged",
    reference: "its reference line",
    shown: partsText(shows),
  };
  const note =
    replaces === undefined
      ? ""
      : `, ${replaces.of} v${replaces.version} replaces v${replaces.above}`;
  return {
    what: "result",
    place: `${placeOf(entry)}, call ${entry.call + 1}`,
    versions: [...own, ...partVersions(shows), ...replaced],
    how: `${ways[entry.form]}${note}`,
  };
}

function placeOf({ turn, step }: { readonly turn: number; readonly step: number }): string {
  return `turn ${turn + 1}, step ${step + 1}`;
}

function versionOf(of: string | undefined, version: number | undefined): readonly VersionName[] {
  return of === undefined ? [] : [{ handle: of, version: version ?? 1 }];
}

function stubText({ call, of, version, before = 0, replaced, head }: ArgumentStub): string {
  if (head !== undefined)
    return `all but the first ${head} characters of each long argument of call ${call + 1}`;
  const last = before === 0 ? "" : `, replaced text in v${before}`;
  const where = of === undefined ? "" : ` (now in ${of} v${version ?? 1}${last})`;
  const what = replaced === undefined ? "the large arguments of" : "the text replaced by";
  return `${what} call ${call + 1}${where}`;
}

function partVersions(parts: readonly ShownPart[]): readonly VersionName[] {
  return parts.flatMap(({ of, version, since }) => [
    { handle: of, version },
    ...(since === undefined ? [] : [{ handle: of, version: since }]),
  ]);
}

function partsText(parts: readonly ShownPart[]): string {
  return parts.map((part) => `${part.of} v${part.version} ${wayOf(part)}`).join("; ");
}

function wayOf(part: ShownPart): string {
  const way = wholeWayOf(part);
  if (part.forBudget !== true) return way;
  return part.form === "above" ? `${way} in part` : `${way} (no room for more)`;
}

function wholeWayOf({ form, from, to, head, tail, since }: ShownPart): string {
  switch (form) {
    case "whole":
      return "whole";
    case "lines":
      return `lines ${from}-${to}`;
    case "part":
      return `its first ${head} and last ${tail} characters`;
    case "diff":
      return `its changes since v${since}`;
    case "change":
      return `the report that it has changed since v${since}`;
    case "above":
      return `${from === undefined ? "" : `lines ${from}-${to} `}unchanged, shown above`;
    case "line":
      return "its line";
    case "linking":
      return "the document of the line of linked objects";
    case "linked":
      return "in the line of the linked objects";
    case "counted-edit":
      return "counted as edited";
    case "counted-move":
      return "counted as moved";
    case "counted-deletion":
      return "counted as deleted";
  }
}
