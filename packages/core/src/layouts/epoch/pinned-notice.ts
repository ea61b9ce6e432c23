import type { NoticeEntry, ViewEntry } from "../../view/view-entry.ts";
import { sized, type ViewDraft } from "./view-draft.ts";

const start = "[pinned: ";
const nothing = `${start}none]`;

/** What is pinned, where the view does not say so yet (decision D44): a person's pin is in no tool's answer. */
export function pinnedNotice(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
): NoticeEntry | undefined {
  const pinned = draft.input.active.filter(({ isPinned }) => isPinned);
  const handles = pinned.map(({ entry }) => entry.handle);
  const text = handles.length === 0 ? nothing : `${start}${handles.toSorted().join(", ")}]`;
  const told = entries.findLast(isPinnedNotice)?.text ?? nothing;
  return text === told ? undefined : sized<NoticeEntry>({ is: "notice", text }, draft.source);
}

/** A view with only the last word of what is pinned, from `cut` on. */
export function withLastPinnedNotice(
  entries: readonly ViewEntry[],
  cut: number,
): readonly ViewEntry[] {
  const last = entries.findLastIndex(isPinnedNotice);
  return entries.filter((entry, index) => index < cut || index === last || !isPinnedNotice(entry));
}

function isPinnedNotice(entry: ViewEntry): entry is NoticeEntry {
  return entry.is === "notice" && entry.text.startsWith(start);
}
