import type { JsonObject } from "@self-context-manager/objects";

/**
 * The description of one message of a view: a place in the chat, or objects by handle and version. The session's pool
 * defines which object a handle means, so an entry is a static reference. Entries contain no text except that of
 * notices and of messages that others have added. Together with the versions that they name, they always give the same bytes.
 */
export type ViewEntry =
  | UserEntry
  | AssistantEntry
  | OpaqueEntry
  | SummaryEntry
  | ResultEntry
  | ObjectEntry
  | NoticeEntry
  | AddedEntry;

/** Estimated tokens, before any calibration. */
type Sized = { readonly tokens: number };

/**
 * A user message. If the budget does not allow all of it, `head` is the number of its characters that are shown. `files`:
 * whether its images and other files are shown as well; the characters are then those of its text alone.
 */
export type UserEntry = Sized & {
  readonly type: "user";
  readonly turn: number;
  readonly head?: number;
  readonly files?: true;
  /** Its long parts that are objects. Undefined if `head` is there, or if it has none. */
  readonly parts?: readonly UserPart[];
};

/**
 * A long part of a user message, which is a text or a file: its block, from 0, and its object. Of a text that has left the
 * view, only the first `head` and the last `tail` characters are shown. `gone`: a file that has left, which is not shown.
 */
export type UserPart = {
  readonly block: number;
  readonly of: string;
  readonly version: number;
  readonly head?: number;
  readonly tail?: number;
  readonly gone?: true;
};

/** Whether a long part of a user message has left the view. */
export function hasLeft({ head, gone }: UserPart): boolean {
  return head !== undefined || gone === true;
}

/**
 * An answer of the model. Texts in arguments of the calls in `stubs` are not shown. `thinking`: the thinking that is not
 * shown. `left-out`: signed thinking that the model would no longer accept; `all-left-out`: all thinking. `fold`: earlier
 * steps of its turn that it stands for.
 */
export type AssistantEntry = Sized & {
  readonly type: "assistant";
  readonly turn: number;
  readonly step: number;
  readonly thinking?: "left-out" | "all-left-out";
  readonly stubs?: readonly ArgumentStub[];
  readonly fold?: Fold;
};

/**
 * A fold: steps that are shown by a text about them (decision D71). The text is the first block of the answer that has the
 * fold. It is made from the versions that were stored when the steps were folded, and it is a part of the record.
 */
export type Fold = {
  /** The folded steps of the turn, in order. */
  readonly steps: readonly number[];
  /** The handles of the objects that the text names. */
  readonly names: readonly string[];
  readonly text: string;
};

/**
 * A call of which some texts in the arguments are not shown, by its position in the answer. `of` and `version` name the
 * file version that holds these texts, if it is known. `before` is the version that holds the texts that an edit
 * replaced, or 0 if none is known; undefined if no long text was replaced.
 *
 * Without `replaced` and `head`, all long texts are left out. With `replaced`, only the texts that the call replaced are,
 * from this number of characters on; `of` and `version` then name the version that holds them. With `head`, each long
 * text is shown by its first `head` characters, and nothing holds the rest.
 */
export type ArgumentStub = {
  readonly call: number;
  readonly of?: string;
  readonly version?: number;
  readonly before?: number;
  readonly replaced?: number;
  readonly head?: number;
};

/** Whether an argument stub leaves out all long texts of its call. */
export function isWholeStub({ replaced, head }: ArgumentStub): boolean {
  return replaced === undefined && head === undefined;
}

/** A message of a kind that only the host understands. */
type OpaqueEntry = Sized & {
  readonly type: "opaque";
  readonly turn: number;
  readonly step: number;
};

/** The summary that the user asked for. It replaces the messages that it summarises. */
type SummaryEntry = Sized & { readonly type: "summary"; readonly at?: number };

/**
 * A tool's result. `of` is the tool call's handle; undefined while there is no result. Forms: `bare` is the result in
 * its original form, `reference` only its reference line, and `shown` the parts in `shows`.
 */
export type ResultEntry = Sized & {
  readonly type: "result";
  readonly turn: number;
  readonly step: number;
  readonly call: number;
  readonly of?: string;
  readonly version?: number;
  readonly form: "bare" | "reference" | "shown";
  readonly shows?: readonly ShownPart[];
  /** A file that the call changed: its new version, and the version that is shown above. */
  readonly replaces?: { readonly of: string; readonly version: number; readonly above: number };
};

/** Objects that are shown outside a result, because the user activated them or others changed them. */
export type ObjectEntry = Sized & {
  readonly type: "object";
  readonly shows: readonly ShownPart[];
};

/** A notice: a line that the context manager adds in the user's role. */
export type NoticeEntry = Sized & { readonly type: "notice"; readonly text: string };

/**
 * A message that another extension of the host has added to this request. It is in no chat, so the entry contains it.
 */
export type AddedEntry = Sized & { readonly type: "added"; readonly message: JsonObject };

/**
 * The display of an object in a view. Forms: `whole`; `lines` from `from` to `to`; a `part`, which is the first `head`
 * and the last `tail` characters; the `diff` from version `since`; `above`, which means that the content, or the lines
 * `from` to `to` of it, are unchanged and shown further up; the report of a `change` since version `since`; or only its `line`.
 * All parts of an entry with a `counted-…` form make one line with the number of objects that were edited, moved and
 * deleted; `linking` and all with the form `linked` make one line that names the objects to which a document links.
 */
export type ShownPart = {
  readonly of: string;
  readonly version: number;
  readonly form:
    | "whole"
    | "lines"
    | "part"
    | "diff"
    | "above"
    | "change"
    | "line"
    | "linking"
    | "linked"
    | "counted-edit"
    | "counted-move"
    | "counted-deletion";
  readonly from?: number;
  readonly to?: number;
  readonly head?: number;
  readonly tail?: number;
  readonly since?: number;
  /**
   * The budget did not allow to show all that was asked for. Of `above`: only a part of it is further up. Of `line`:
   * nothing of it is shown.
   */
  readonly forBudget?: true;
};

/** Returns the parts that a result, or a message with objects, shows. */
export function partsOf(entry: ViewEntry): readonly ShownPart[] {
  return entry.type === "result" || entry.type === "object" ? (entry.shows ?? none) : none;
}

/** Returns the parts of an entry that show content. */
export function contentParts(entry: ViewEntry): readonly ShownPart[] {
  if (entry.type === "user") return wholeParts(entry);
  const parts = partsOf(entry);
  if (parts.every(isContent)) return parts;
  return parts.some(isContent) ? parts.filter(isContent) : none;
}

function wholeParts({ parts = [] }: UserEntry): readonly ShownPart[] {
  return parts
    .filter((part) => !hasLeft(part))
    .map(({ of, version }) => ({ of, version, form: "whole" }));
}

/** Whether a part shows content of its object. */
export function isContent({ form }: ShownPart): boolean {
  return form === "whole" || form === "lines" || form === "part" || form === "diff";
}

/** Whether a part only counts in the line of many changes. It does not name its object. */
export function isCounted({ form }: ShownPart): boolean {
  return form === "counted-edit" || form === "counted-move" || form === "counted-deletion";
}

/** Returns the handles of the objects whose content the entries show, in part or in its original form. */
export function handlesShown(entries: readonly ViewEntry[]): ReadonlySet<string> {
  const handles = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "result" && entry.form === "bare" && entry.of !== undefined)
      handles.add(entry.of);
    for (const { of } of contentParts(entry)) handles.add(of);
  }
  return handles;
}

const none: readonly ShownPart[] = [];
