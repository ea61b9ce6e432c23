import type { DescribedEntry, VersionName } from "../view/describe-entries.ts";
import type { ViewMessage } from "../view/layout.ts";
import type { RebuiltView } from "./rebuilt-view.ts";

/** Where the messages of two calls begin to differ, and what lies behind it. */
export interface ViewDifference {
  /**
   * `same`: no byte differs; `appended`: all of the first stands at the beginning of the second; `shortened`: the other
   * way round; `changed`: neither.
   */
  readonly type: "same" | "appended" | "shortened" | "changed";
  /** How many messages both begin with. */
  readonly sharedMessages: number;
  /** The message that differs first, by its place from 0, and how; undefined unless `changed`. */
  readonly first?: MessageDifference;
  /** Objects that both show with content, in other versions. */
  readonly versions: readonly {
    readonly handle: string;
    readonly from: number;
    readonly to: number;
  }[];
  /** Objects that only the first or only the second names. */
  readonly gone: readonly string[];
  readonly added: readonly string[];
  /** Origins of the system prompts that are not the same version in both. */
  readonly systemPrompts: readonly string[];
}

export interface MessageDifference {
  readonly message: number;
  /** The first byte that differs, from 0, of the messages' JSON in UTF-8: in the message, and from the beginning. */
  readonly byte: number;
  readonly offset: number;
  /** What stands there in each: some characters of the JSON, beginning a little before that byte. */
  readonly before: string;
  readonly after: string;
  /** What each message was made from, where the layout tells it of single messages. */
  readonly entries?: { readonly before: DescribedEntry; readonly after: DescribedEntry };
}

/** Compares what two calls saw. */
export function compareViews(before: RebuiltView, after: RebuiltView): ViewDifference {
  const one = before.messages.map(jsonOf);
  const other = after.messages.map(jsonOf);
  const shortest = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < shortest && one[shared] === other[shared]) shared += 1;
  return {
    type: typeOf(one.length, other.length, shared),
    sharedMessages: shared,
    ...(shared < shortest ? { first: differenceAt(before, after, one, other, shared) } : {}),
    ...objectChanges(before.entries, after.entries),
    systemPrompts: promptChanges(before, after),
  };
}

function typeOf(one: number, other: number, shared: number): ViewDifference["type"] {
  if (shared === one) return shared === other ? "same" : "appended";
  return shared === other ? "shortened" : "changed";
}

/** Characters of the JSON that are told before and after the first one that differs. */
const excerptLength = { before: 40, after: 80 };

function differenceAt(
  before: RebuiltView,
  after: RebuiltView,
  one: readonly string[],
  other: readonly string[],
  message: number,
): MessageDifference {
  const left = one[message] ?? "";
  const right = other[message] ?? "";
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const byte = bytesOf(left.slice(0, at).toWellFormed());
  // The list's bracket, and a comma after each message.
  const offset = one.slice(0, message).reduce((sum, text) => sum + bytesOf(text) + 1, 1) + byte;
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

/** Of a layout whose entries are its messages. */
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

function jsonOf(message: ViewMessage | undefined): string {
  return JSON.stringify(message ?? null);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
