import { presenceOf } from "@self-context-manager/objects";
import { linkProblems, pinnedNotices } from "../../lines/notices.ts";
import { isNotedByModel } from "../../render/object-note.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import { marked } from "../../view/entry-groups.ts";
import { linesBesideOutput } from "../../view/shown-parts.ts";
import {
  contentParts,
  isCounted,
  type NoticeEntry,
  type ObjectEntry,
  partsOf,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { fixedTypes } from "../../view/fixed-types.ts";
import type { PlanningContext } from "./planning-context.ts";

/** The number of inactive files with a line each, if others changed them since the last view. More files get one line. */
const mostLines = 10;

/**
 * Returns lines for objects in view that others deleted, moved or changed since, because the view no longer describes
 * them correctly. A file whose text is in view gets a report of the change, with the old and the new size. Changes by
 * the agent itself need no line. If many files changed, as after a switch of branches, one line counts those that are
 * not active.
 */
export function corrections(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): readonly ObjectEntry[] {
  const newest = new Map<string, number>();
  const shown = new Map<string, number>();
  for (const index of marked(entries, "parts")) {
    const entry = entries[index] as ViewEntry;
    for (const { of, version } of partsOf(entry))
      newest.set(of, Math.max(version, newest.get(of) ?? 0));
    for (const { of, version } of contentParts(entry)) shown.set(of, version);
    for (const { of, version } of linesBesideOutput(entry)) shown.set(of, version);
  }
  const found: { readonly known: PoolEntry; readonly inView: number }[] = [];
  for (const [of, inView] of newest) {
    const known = context.entryOf(of);
    if (known === undefined || known.stored.version <= inView) continue;
    const { body } = known.stored;
    if (fixedTypes.has(body.type)) continue;
    if (presenceOf(body) !== "missing" && body.provenance.generator === "agent") continue;
    // The version has only a note more, and the call that wrote it shows it.
    if (known.stored.version === inView + 1 && isNotedByModel(body, inView)) continue;
    found.push({ known, inView });
  }
  const inactive = found.filter(({ known }) => !context.active.has(known.handle));
  const isMany = inactive.length > mostLines;
  const named = isMany ? found.filter(({ known }) => context.active.has(known.handle)) : found;
  const lines = named.map(({ known }) => [correction(context, known, shown.get(known.handle))]);
  if (isMany) lines.push(inactive.map(({ known, inView }) => countedPart(context, known, inView)));
  return lines.map((shows) => context.sized({ type: "object", shows }));
}

function countedPart(
  { source }: PlanningContext,
  { handle: of, stored }: PoolEntry,
  inView: number,
): ShownPart {
  const { version, body } = stored;
  if (presenceOf(body) === "missing") return { of, version, form: "counted-deletion" };
  const before = source.object(of, inView)?.stored.body["path"];
  const isMoved = typeof before === "string" && before !== body["path"];
  return { of, version, form: isMoved ? "counted-move" : "counted-edit" };
}

/**
 * Returns a line for each object that a program has loaded as inactive and that the view does not name: no message of
 * the chat names it. Lines that the budget does not allow wait for a later call.
 */
export function loadedLines(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): readonly ObjectEntry[] {
  const { broughtIn = [] } = context.epochs;
  const loaded = broughtIn.filter(({ row }) => row.loaded === true);
  if (loaded.length === 0) return [];
  const named = handlesNamed(entries);
  const missing = loaded.filter(({ handle }) => !named.has(handle));
  if (missing.length === 0) return [];
  let room = context.budget - context.total(entries);
  return missing.flatMap(({ handle: of, stored }): readonly ObjectEntry[] => {
    const shows: readonly ShownPart[] = [{ of, version: stored.version, form: "line" }];
    const entry = context.sized({ type: "object", shows });
    const tokens = context.tokensOf(entry);
    if (tokens > room) return [];
    room -= tokens;
    return [entry];
  });
}

/**
 * Returns a line for each active document with the objects to which it links and that the view does not name (decision
 * D64). Those that the budget does not allow wait for a later call.
 */
export function linkedLines(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): readonly ObjectEntry[] {
  const { broughtIn = [] } = context.epochs;
  const linked = broughtIn.filter((entry) => isStillLinked(context, entry));
  if (linked.length === 0) return [];
  const named = handlesNamed(entries);
  const missing = linked.filter(({ handle }) => !named.has(handle) && !context.active.has(handle));
  let room = context.budget - context.total(entries);
  const lines: ObjectEntry[] = [];
  for (const [document, objects] of Map.groupBy(missing, ({ row }) => row.linked ?? "")) {
    const entry = linkedEntry(context, document, objects, room);
    if (entry === undefined) continue;
    room -= context.tokensOf(entry);
    lines.push(entry);
  }
  return lines;
}

/** Returns the line of a document with as many of its objects as have room. */
function linkedEntry(
  context: PlanningContext,
  document: string,
  objects: readonly PoolEntry[],
  room: number,
): ObjectEntry | undefined {
  const source = context.entryOf(document);
  if (source === undefined) return undefined;
  for (let count = objects.length; count > 0; count = Math.floor(count / 2)) {
    const shows: readonly ShownPart[] = [
      { of: document, version: source.stored.version, form: "linking" },
      ...objects
        .slice(0, count)
        .map(({ handle: of, stored: { version } }): ShownPart => ({ of, version, form: "linked" })),
    ];
    const entry = context.sized({ type: "object", shows });
    if (context.tokensOf(entry) <= room) return entry;
  }
  return undefined;
}

/** Whether the document because of which an object joined is active. */
function isStillLinked({ active }: PlanningContext, { row }: PoolEntry): boolean {
  return row.linked !== undefined && active.has(row.linked);
}

function handlesNamed(entries: readonly ViewEntry[]): Set<string> {
  const named = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "result" && entry.of !== undefined) named.add(entry.of);
    if (entry.type === "assistant") for (const of of entry.fold?.names ?? []) named.add(of);
    for (const { of } of partsOf(entry)) named.add(of);
  }
  return named;
}

/**
 * Returns a line for each object that entries named and that the view no longer names: lines outside results are not
 * drawn again behind a cut, and contents can have left.
 */
export function namedAgain(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  before: readonly ViewEntry[],
): readonly ObjectEntry[] {
  if (before.length === 0) return [];
  const named = handlesNamed(entries);
  for (const entry of entries)
    if (entry.type === "user") for (const { of } of entry.parts ?? []) named.add(of);
  const parts = before
    .flatMap(partsOf)
    .filter((part) => !named.has(part.of) && part.form !== "linked" && !isCounted(part));
  const shows = context.linesFor(parts);
  return shows.length === 0 ? [] : [context.sized({ type: "object", shows })];
}

/** Returns the line for a file. `since`: the version that is in view. */
function correction(
  { source }: PlanningContext,
  { handle: of, stored }: PoolEntry,
  since: number | undefined,
): ShownPart {
  const { version, body, hashes } = stored;
  const before = since === undefined ? undefined : source.object(of, since)?.stored;
  const isChanged =
    before !== undefined &&
    presenceOf(body) !== "missing" &&
    (before.hashes.content_hash !== hashes.content_hash || before.body["size"] !== body["size"]);
  return isChanged && since !== undefined
    ? { of, version, form: "change", since }
    : { of, version, form: "line" };
}

const nothingPinned = pinnedNotices.none.write();

const pinnedPattern = new RegExp(
  `^(?:${pinnedNotices.some.pattern}|${pinnedNotices.none.pattern})$`,
  "u",
);

/**
 * Returns a notice of the pinned objects if the view does not contain the current one (decision D44). A pin by the user
 * appears in no tool result, so the model learns of it only by the notice.
 */
export function pinnedNotice(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): NoticeEntry | undefined {
  const pinned = context.input.active.filter(({ isPinned }) => isPinned);
  const handles = pinned.map(({ entry }) => entry.handle);
  const text = handles.length === 0 ? nothingPinned : pinnedNotices.some.write(handles.toSorted());
  const former =
    marked(entries, "notices")
      .map((index) => entries[index] as ViewEntry)
      .findLast(isPinnedNotice)?.text ?? nothingPinned;
  return text === former ? undefined : context.notice(text);
}

/**
 * Whether a notice is not repeated behind a cut: that of the pinned objects is appended if it is still true, and a line
 * about links was for one view.
 */
export function isPassingNotice(
  { input: { notes = [] } }: PlanningContext,
  entry: NoticeEntry,
): boolean {
  const { text } = entry;
  return pinnedPattern.test(text) || (linkPattern.test(text) && !notes.includes(text));
}

const linkPattern = new RegExp(`^${linkProblems.pattern}$`, "u");

function isPinnedNotice(entry: ViewEntry): entry is NoticeEntry {
  return entry.type === "notice" && pinnedPattern.test(entry.text);
}
