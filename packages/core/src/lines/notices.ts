import { handle, handles, target } from "./handles.ts";
import { foreign, line, type LineKind, number, type Slot } from "./line-kind.ts";

/** The notices of the pinned objects in the epoch layout. */
export const pinnedNotices: {
  readonly some: LineKind<[handles: readonly string[]]>;
  readonly none: LineKind<[]>;
} = {
  some: line`[pinned: ${handles(", ")}]`,
  none: line`[pinned: none]`,
};

/** The links of a document that a tool has written which have no target, or several, and its bad front matter. */
export const linkProblems: LineKind<[handle: string, problems: string]> =
  line`[links of ${handle} ${foreign("PROBLEMS")}]`;

/** The notices that replace whole messages. */
export const omissionNotices: {
  readonly turns: LineKind<[first: number, last: number, chat: string]>;
  readonly steps: LineKind<[count: number, chat: string]>;
  readonly others: LineKind<[chat: string]>;
  readonly earlier: LineKind<[chat: string]>;
} = {
  turns: line`[turns ${number} to ${number} are not shown; activate ${target} with from and to reads their lines]`,
  steps: line`[the first ${number} steps of this turn are not shown; activate ${target} with from and to reads their lines]`,
  others: line`[other messages are not shown; activate ${target} with from and to reads their lines]`,
  earlier: line`[earlier messages are not shown; activate ${target} with from and to reads their lines]`,
};

/** A number of turns. */
const turns: Slot<number> = {
  name: "NUMBER turns",
  pattern: String.raw`(?:1 turn|\d+ turns)`,
  write: (count) => (count === 1 ? "1 turn" : `${count} turns`),
};

/** The first message of a chat whose earlier turns are archived. */
export const archivedChat: LineKind<[handle: string, turns: number, again: string]> =
  line`[an earlier chat is archived as ${handle}, ${turns}; activate ${handle} shows a line for each turn, and one of them with turn]`;

/** The type of a part of a message, such as `image`. */
const partType: Slot<string> = {
  name: "TYPE",
  pattern: "[a-z_]+",
  write: (type) => (/^[a-z_]+$/u.test(type) ? type : "part"),
};

/** Replaces a part of a user's message that is no text, if the budget does not allow all of the message. */
export const partNotShown: LineKind<[type: string]> = line`[${partType} not shown]`;

/** The texts of messages that a provider requires and the chat does not have. */
export const missingMessages: {
  readonly user: LineKind<[]>;
  readonly result: LineKind<[]>;
} = {
  user: line`[the chat begins without a user's message]`,
  result: line`[no result: the call was interrupted]`,
};

/** The lines around the pools of the pooled layout. */
export const poolLines: {
  readonly title: LineKind<[]>;
  readonly notListed: LineKind<[count: number]>;
} = {
  title: line`Known objects: handle, name, type of a file, size in characters. The last line of a handle is current. (activate HANDLE shows one's content)`,
  notListed: line`(${number} earlier lines are not listed; activate takes the paths and handles of their objects)`,
};

const pinned = line`Pinned: ${handles(" ")}.`;
const leftOut = line`No room for: ${handles(" ")}.`;

/** The line of the active and pinned objects of the pooled layout, and of those that do not fit (decision D44). */
export const setsLine: LineKind<
  [active: readonly string[], pinned: readonly string[], leftOut: readonly string[]]
> = line`Active: ${handles(" ")}.${optional(pinned)}${optional(leftOut)}`;

/** A slot for a list after a blank. An empty list is left out. */
function optional(list: LineKind<[readonly string[]]>): Slot<readonly string[]> {
  return {
    name: ` ${list.shape}`,
    pattern: `(?: ${list.pattern})?`,
    write: (all) => (all.length === 0 ? "" : ` ${list.write(all)}`),
  };
}
