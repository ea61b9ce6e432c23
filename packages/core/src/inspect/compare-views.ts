import type { DescribedEntry, VersionName } from "../view/describe-entries.ts";
import type { ViewMessage } from "../view/layout.ts";
import type { RebuiltView } from "./rebuilt-view.ts";

/** The first difference between the messages of two calls, and the objects that differ. */
export interface ViewDifference {
  /**
   * `same`: no byte differs. `appended`: the second begins with all messages of the first. `shortened`: the first
   * begins with all messages of the second. `changed`: none of these.
   */
  readonly type: "same" | "appended" | "shortened" | "changed";
  /** The number of messages with which both begin. */
  readonly sharedMessages: number;
  /** The first message that differs, by its index from 0, and its difference; undefined unless `changed`. */
  readonly first?: MessageDifference;
  /** Objects whose content both show, in different versions. */
  readonly versions: readonly {
    readonly handle: string;
    readonly from: number;
    readonly to: number;
  }[];
  /** Objects that only the first names (`gone`) or only the second (`added`). */
  readonly gone: readonly string[];
  readonly added: readonly string[];
  /** Origins of the system prompts whose version differs. */
  readonly systemPrompts: readonly string[];
}

/** A message that differs between two views. */
export interface MessageDifference {
  readonly message: number;
  /**
   * The first byte that differs, from 0, in the UTF-8 JSON of the messages: counted in the message (`byte`) and from
   * the beginning of the list (`offset`).
   */
  readonly byte: number;
  readonly offset: number;
  /** An excerpt of the JSON of each message, from a little before that byte. */
  readonly before: string;
  readonly after: string;
  /** The entries from which the two messages were made, if the layout has one entry for each message. */
  readonly entries?: { readonly before: DescribedEntry; readonly after: DescribedEntry };
}

/** Compares the views of two calls. */
export function compareViews(before: RebuiltView, after: RebuiltView): ViewDifference {
  const { messages: one } = before;
  const { messages: other } = after;
  const shortest = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < shortest && isSame(one[shared], other[shared])) shared += 1;
  return {
    type: typeOf(one.length, other.length, shared),
    sharedMessages: shared,
    ...(shared < shortest ? { first: differenceAt(before, after, shared) } : {}),
    ...objectChanges(before.entries, after.entries),
    systemPrompts: promptChanges(before, after),
  };
}

function typeOf(one: number, other: number, shared: number): ViewDifference["type"] {
  if (shared === one) return shared === other ? "same" : "appended";
  return shared === other ? "shortened" : "changed";
}

/** Characters of the excerpt before and after the first difference. */
const excerptLength = { before: 40, after: 80 };

function differenceAt(before: RebuiltView, after: RebuiltView, message: number): MessageDifference {
  const left = jsonOf(before.messages[message]);
  const right = jsonOf(after.messages[message]);
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const byte = bytesOf(left.slice(0, at).toWellFormed());
  // One byte for the bracket of the list, and one for the comma after each message.
  const same = before.messages.slice(0, message).map(jsonOf);
  const offset = same.reduce((sum, text) => sum + bytesOf(text) + 1, 1) + byte;
  const excerpt = (text: string): string =>
    text.slice(Math.max(0, at - excerptLength.before), at + excerptLength.after).toWellFormed();
  const entries = { before: entryOf(before, message), after: entryOf(after, message) };
  return {
    message,
    byte,
    offset,
    before: excerpt(left),
    after: excerpt(right),
    ...(entries.before === undefined || entries.after === undefined
      ? {}
      : { entries: { before: entries.before, after: entries.after } }),
  };
}

/** Returns the entry of a message, if the layout has one entry for each message. */
function entryOf({ entries, messages }: RebuiltView, message: number): DescribedEntry | undefined {
  return entries.length === messages.length ? entries[message] : undefined;
}

function objectChanges(
  before: readonly DescribedEntry[],
  after: readonly DescribedEntry[],
): Pick<ViewDifference, "versions" | "gone" | "added"> {
  const one = newest(before);
  const other = newest(after);
  const versions = [...one].flatMap(([handle, from]) => {
    const to = other.get(handle);
    return to === undefined || to === from ? [] : [{ handle, from, to }];
  });
  return {
    versions,
    gone: [...one.keys()].filter((handle) => !other.has(handle)),
    added: [...other.keys()].filter((handle) => !one.has(handle)),
  };
}

function newest(entries: readonly DescribedEntry[]): ReadonlyMap<string, number> {
  const versions = new Map<string, number>();
  const names: readonly VersionName[] = entries.flatMap((entry) => entry.versions);
  for (const { handle, version } of names)
    versions.set(handle, Math.max(version, versions.get(handle) ?? 0));
  return versions;
}

function promptChanges(before: RebuiltView, after: RebuiltView): readonly string[] {
  const one = promptNames(before);
  const other = promptNames(after);
  const origins = new Set([...one.keys(), ...other.keys()]);
  return [...origins].filter((origin) => one.get(origin) !== other.get(origin));
}

function promptNames({ systemPrompts }: RebuiltView): ReadonlyMap<string, string> {
  return new Map(systemPrompts.map(({ origin, id, version }) => [origin, `${id} ${version}`]));
}

/** Whether two messages have the same JSON. Views that are rebuilt one after another share most of their messages. */
function isSame(one: ViewMessage | undefined, other: ViewMessage | undefined): boolean {
  return one === other || jsonOf(one) === jsonOf(other);
}

function jsonOf(message: ViewMessage | undefined): string {
  return JSON.stringify(message ?? null);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
