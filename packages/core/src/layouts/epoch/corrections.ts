import { presenceOf } from "@self-context-manager/objects";
import type { ObjectEntry, ResultEntry, ShownPart, ViewEntry } from "../../view/view-entry.ts";
import { linesFor } from "./parts-for.ts";
import { sized, type ViewDraft } from "./view-draft.ts";

/**
 * Lines for files that stand in view and that others deleted, moved or changed since, while they are not active: what
 * the view says of them is no longer so (decision D6). What the agent wrote itself needs none.
 */
export function corrections(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
): readonly ObjectEntry[] {
  const told: ToldVersions = new Map();
  for (const entry of entries) noteVersions(told, entry);
  const found: ObjectEntry[] = [];
  for (const [of, version] of told) {
    const known = draft.entryOf(of);
    if (known === undefined || known.stored.version <= version || draft.active.has(of)) continue;
    const { body } = known.stored;
    if (body.type !== "file" && body.type !== "note") continue;
    if (presenceOf(body) !== "missing" && body.provenance.generator === "agent") continue;
    const shows = [{ of, version: known.stored.version, as: "line" as const }];
    found.push(sized<ObjectEntry>({ is: "object", shows }, draft.source));
  }
  return found;
}

/**
 * A view in which each object has one current line from `cut` on (decision D6): lines in results tell the newest
 * version, and of the lines that were appended the last stays where nothing else in view says the same.
 */
export function mergedCorrections(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  cut: number,
): readonly ViewEntry[] {
  const isAppended = (entry: ViewEntry, index: number): entry is ObjectEntry =>
    index >= cut && entry.is === "object" && entry.shows.some(isLine);
  if (!entries.some(isAppended)) return entries;
  const current = entries.map((entry, index) =>
    index >= cut && entry.is === "result" ? withNewestLines(draft, entry) : entry,
  );
  const told: ToldVersions = new Map();
  for (const [index, entry] of current.entries())
    if (!isAppended(entry, index)) noteVersions(told, entry);
  const kept: ViewEntry[] = [];
  for (let index = current.length - 1; index >= 0; index -= 1) {
    const entry = current[index];
    if (entry === undefined) continue;
    if (!isAppended(entry, index)) {
      kept.push(entry);
      continue;
    }
    const shows = entry.shows.filter(
      (part) => !isLine(part) || part.version > (told.get(part.of) ?? 0),
    );
    noteVersions(told, entry);
    if (shows.length === entry.shows.length) kept.push(entry);
    else if (shows.length > 0) kept.push(sized<ObjectEntry>({ is: "object", shows }, draft.source));
  }
  return kept.toReversed();
}

function withNewestLines(draft: ViewDraft, entry: ResultEntry): ResultEntry {
  if (entry.shows?.some(isLine) !== true) return entry;
  const shows = entry.shows.flatMap((part) => (isLine(part) ? linesFor(draft, [part]) : [part]));
  const isSame = shows.every(({ version }, index) => version === entry.shows?.[index]?.version);
  return isSame ? entry : sized<ResultEntry>({ ...entry, shows }, draft.source);
}

/** The newest version that a view tells of each object, by handle. */
type ToldVersions = Map<string, number>;

function noteVersions(told: ToldVersions, entry: ViewEntry): void {
  if (entry.is !== "result" && entry.is !== "object") return;
  for (const { of, version } of entry.shows ?? [])
    told.set(of, Math.max(version, told.get(of) ?? 0));
}

function isLine({ as }: ShownPart): boolean {
  return as === "line";
}
