/**
 * One message of a view, by what it was made from: a place in the chat, or objects by handle and version. The session's
 * pool says which object a handle means, so that an entry is a static reference (specification v0 §7.2). Entries hold no
 * text but that of notices; with the versions that they name they give the same bytes for ever.
 */
export type ViewEntry =
  | UserEntry
  | AssistantEntry
  | OpaqueEntry
  | SummaryEntry
  | ResultEntry
  | ObjectEntry
  | NoticeEntry;

/** Estimated tokens, before any calibration. */
type Sized = { readonly tokens: number };

/** What a person said; `head` characters of it where the rest had no room. */
export type UserEntry = Sized & {
  readonly type: "user";
  readonly turn: number;
  readonly head?: number;
};

/** A model's answer; of the calls in `stubs` large arguments are left out. */
export type AssistantEntry = Sized & {
  readonly type: "assistant";
  readonly turn: number;
  readonly step: number;
  readonly stubs?: readonly ArgumentStub[];
};

/** A call, by its place in the message, and the file version that its arguments made, where that is known. */
export type ArgumentStub = {
  readonly call: number;
  readonly of?: string;
  readonly version?: number;
};

/** A message of a kind that only the host knows. */
export type OpaqueEntry = Sized & {
  readonly type: "opaque";
  readonly turn: number;
  readonly step: number;
};

/** The summary that a person asked for, in place of what it replaced. */
export type SummaryEntry = Sized & { readonly type: "summary" };

/**
 * A tool's result. `of` is the tool call's handle, absent while there is no result. `bare`: as it came; `reference`: its
 * reference line alone; `shown`: what `shows` lists.
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
  /** A file that the call changed: its version now, and the one that stands above. */
  readonly replaces?: { readonly of: string; readonly version: number; readonly above: number };
};

/** Objects shown outside a result: activated by a person, or changed by others. */
export type ObjectEntry = Sized & {
  readonly type: "object";
  readonly shows: readonly ShownPart[];
};

/** A line of ours in the user's place. */
export type NoticeEntry = Sized & { readonly type: "notice"; readonly text: string };

/**
 * A content in view: `whole`, some `lines` (`from`, `to`), a `part` (its first `head` and last `tail` characters), the
 * `diff` from version `since`, `above` (unchanged, and shown further up), or only its `line`.
 */
export type ShownPart = {
  readonly of: string;
  readonly version: number;
  readonly form: "whole" | "lines" | "part" | "diff" | "above" | "line";
  readonly from?: number;
  readonly to?: number;
  readonly head?: number;
  readonly tail?: number;
  readonly since?: number;
};

/** What of an entry's objects has content in view. */
export function contentParts(entry: ViewEntry): readonly ShownPart[] {
  if (entry.type !== "result" && entry.type !== "object") return none;
  const parts = entry.shows ?? none;
  if (parts.every(isContent)) return parts;
  return parts.some(isContent) ? parts.filter(isContent) : none;
}

function isContent({ form }: ShownPart): boolean {
  return form !== "above" && form !== "line";
}

/** The objects whose content entries show, in part or as it came, by handle. */
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
