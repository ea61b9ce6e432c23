import { presenceOf } from "@self-context-manager/objects";
import type { PoolEntry } from "../../view/pool-entry.ts";
import { contentParts, isCounted, isNaming } from "../../view/view-entry.ts";
import { linkProblems, pinnedNotices } from "../../lines/notices.ts";
import type {
  NoticeEntry,
  ObjectEntry,
  ResultEntry,
  ShownPart,
  ViewEntry,
} from "../../view/view-entry.ts";
import { sized } from "./entry-messages.ts";
import type { PlanningContext } from "./planning-context.ts";
import { fixedTypes, linesBesideOutput, linesFor } from "./shown-parts.ts";
import { tokensOf, total } from "./view-tokens.ts";

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
  const newest: NewestVersions = new Map();
  const shown = new Map<string, number>();
  for (const entry of entries) {
    noteVersions(newest, entry);
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
    found.push({ known, inView });
  }
  const inactive = found.filter(({ known }) => !context.active.has(known.handle));
  const isMany = inactive.length > mostLines;
  const named = isMany ? found.filter(({ known }) => context.active.has(known.handle)) : found;
  const lines = named.map(({ known }) => [correction(context, known, shown.get(known.handle))]);
  if (isMany) lines.push(inactive.map(({ known, inView }) => countedPart(context, known, inView)));
  return lines.map((shows) => sized<ObjectEntry>({ type: "object", shows }, context.source));
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
  const { pool, budget = Number.POSITIVE_INFINITY } = context.input;
  const loaded = [...pool.values()].filter(({ row }) => row.loaded === true);
  if (loaded.length === 0) return [];
  const named = handlesNamed(entries);
  const missing = loaded.filter(({ handle }) => !named.has(handle));
  if (missing.length === 0) return [];
  let room = budget - total(context, entries);
  return missing.flatMap(({ handle: of, stored }): readonly ObjectEntry[] => {
    const shows: readonly ShownPart[] = [{ of, version: stored.version, form: "line" }];
    const entry = sized<ObjectEntry>({ type: "object", shows }, context.source);
    const tokens = tokensOf(context, entry);
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
  const { pool, budget = Number.POSITIVE_INFINITY } = context.input;
  const linked = [...pool.values()].filter((entry) => isStillLinked(context, entry));
  if (linked.length === 0) return [];
  const named = handlesNamed(entries);
  const missing = linked.filter(({ handle }) => !named.has(handle) && !context.active.has(handle));
  let room = budget - total(context, entries);
  const lines: ObjectEntry[] = [];
  for (const [document, objects] of Map.groupBy(missing, ({ row }) => row.linked ?? "")) {
    const entry = linkedEntry(context, document, objects, room);
    if (entry === undefined) continue;
    room -= tokensOf(context, entry);
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
    const entry = sized<ObjectEntry>({ type: "object", shows }, context.source);
    if (tokensOf(context, entry) <= room) return entry;
  }
  return undefined;
}

/** Whether the document because of which an object joined is active. */
function isStillLinked({ active }: PlanningContext, { row }: PoolEntry): boolean {
  return row.linked !== undefined && active.has(row.linked);
}

function handlesNamed(entries: readonly ViewEntry[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "result" && entry.of !== undefined) named.add(entry.of);
    if (entry.type !== "result" && entry.type !== "object") continue;
    for (const { of } of entry.shows ?? []) named.add(of);
  }
  return named;
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

/**
 * Returns a view in which each object has one current line from `cut` on (decision D6). Lines in results get the newest
 * version. Of the appended lines, the last stays, unless another entry names the same version. Objects that joined because
 * of a document leave the line of linked objects when the document is no longer active.
 */
export function mergedCorrections(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  cut: number,
): readonly ViewEntry[] {
  const isAppended = (entry: ViewEntry, index: number): entry is ObjectEntry =>
    index >= cut && entry.type === "object" && entry.shows.some(isLine);
  if (!entries.some(isAppended)) return entries;
  const appended = entries.flatMap((entry, index) =>
    isAppended(entry, index) ? entry.shows.filter(isLine) : [],
  );
  const counted = handlesOf(appended.filter(isCounted));
  const named = handlesOf(appended.filter((part) => !isCounted(part)));
  const current = entries.flatMap((entry, index): readonly ViewEntry[] => {
    if (index >= cut && entry.type === "result") return [withNewestLines(context, entry)];
    if (counted.size === 0 || !isAppended(entry, index)) return [entry];
    // The line of many changes names no object. A line that names one of them stays, with the newest version.
    const shows = entry.shows.flatMap((part) => {
      if (isCounted(part)) return named.has(part.of) ? [] : [part];
      return isLine(part) && counted.has(part.of) ? linesFor(context, [part]) : [part];
    });
    return shows.length === 0
      ? []
      : [sized<ObjectEntry>({ type: "object", shows }, context.source)];
  });
  const newest: NewestVersions = new Map();
  for (const [index, entry] of current.entries())
    if (!isAppended(entry, index)) noteVersions(newest, entry);
  const kept: ViewEntry[] = [];
  for (let index = current.length - 1; index >= 0; index -= 1) {
    const entry = current[index];
    if (entry === undefined) continue;
    if (!isAppended(entry, index)) {
      kept.push(entry);
      continue;
    }
    const needed = entry.shows.filter(
      (part) =>
        part.form === "linking" ||
        ((!isLine(part) || part.version > (newest.get(part.of) ?? 0)) &&
          (part.form !== "linked" || isLinkedPart(context, part))),
    );
    // The line of a document whose objects are all named elsewhere leaves as a whole.
    const hasLinked = needed.some(({ form }) => form === "linked");
    const remaining = needed.filter(({ form }) => form !== "linking" || hasLinked);
    const shows = withFewNamed(context, remaining);
    noteVersions(newest, { ...entry, shows });
    if (shows.every((part, at) => part === entry.shows[at]) && shows.length === entry.shows.length)
      kept.push(entry);
    else if (shows.length > 0)
      kept.push(sized<ObjectEntry>({ type: "object", shows }, context.source));
  }
  return kept.toReversed();
}

function isLinkedPart(context: PlanningContext, { of }: ShownPart): boolean {
  const known = context.entryOf(of);
  return known !== undefined && isStillLinked(context, known);
}

/** Returns parts in which few counted objects have a line each. */
function withFewNamed(context: PlanningContext, parts: readonly ShownPart[]): readonly ShownPart[] {
  const counted = parts.filter(isCounted);
  if (counted.length === 0 || counted.length > mostLines) return parts;
  return [...parts.filter((part) => !isCounted(part)), ...linesFor(context, counted)];
}

function handlesOf(parts: readonly ShownPart[]): ReadonlySet<string> {
  return new Set(parts.map(({ of }) => of));
}

function withNewestLines(context: PlanningContext, entry: ResultEntry): ResultEntry {
  if (entry.shows?.some(isLine) !== true) return entry;
  const shows = entry.shows.flatMap((part) => (isLine(part) ? linesFor(context, [part]) : [part]));
  const isSame = shows.every(({ version }, index) => version === entry.shows?.[index]?.version);
  return isSame ? entry : sized<ResultEntry>({ ...entry, shows }, context.source);
}

/** The newest version that a view names of each object, by handle. */
type NewestVersions = Map<string, number>;

function noteVersions(newest: NewestVersions, entry: ViewEntry): void {
  if (entry.type !== "result" && entry.type !== "object") return;
  for (const { of, version } of entry.shows ?? [])
    newest.set(of, Math.max(version, newest.get(of) ?? 0));
}

function isLine(part: ShownPart): boolean {
  const { form } = part;
  return isNaming(part) || form === "change" || isCounted(part);
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
  const former = entries.findLast(isPinnedNotice)?.text ?? nothingPinned;
  return text === former ? undefined : sized<NoticeEntry>({ type: "notice", text }, context.source);
}

/**
 * Returns a view that contains, from `cut` on, only the newest notice of the pinned objects, and no line about links that
 * was sent already.
 */
export function withCurrentNotices(
  { input: { notes = [] } }: PlanningContext,
  entries: readonly ViewEntry[],
  cut: number,
): readonly ViewEntry[] {
  const last = entries.findLastIndex(isPinnedNotice);
  return entries.filter((entry, index) => {
    if (index < cut || entry.type !== "notice") return true;
    const { text } = entry;
    if (pinnedPattern.test(text)) return index === last;
    return !linkPattern.test(text) || notes.includes(text);
  });
}

const linkPattern = new RegExp(`^${linkProblems.pattern}$`, "u");

function isPinnedNotice(entry: ViewEntry): entry is NoticeEntry {
  return entry.type === "notice" && pinnedPattern.test(entry.text);
}
