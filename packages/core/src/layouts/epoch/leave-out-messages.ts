import { fileReferences } from "../../calls/toolcall-object.ts";
import { isAssistantStep } from "../../chat/turn.ts";
import { missingMessages } from "../../lines/notices.ts";
import { leftOutOf, type MessagePlace, placesOf } from "../../view/left-out-rows.ts";
import {
  contentParts,
  type NoticeEntry,
  type ObjectEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { boundTo, firstChange, withoutThinking } from "./bound-thinking.ts";
import { sized } from "./entry-messages.ts";
import { epochMemory } from "./epoch-memory.ts";
import type { PlanningContext } from "./planning-context.ts";
import { repairReferences } from "./repair-references.ts";
import { missingResult } from "./result-entries.ts";
import { linesFor, once } from "./shown-parts.ts";

/** Whether messages that the last view left out are in the chat, and are no longer left out. */
export function hasReturned({ input, leftOut }: PlanningContext, last: ViewRecord): boolean {
  const before = leftOutOf(epochMemory(last).left_out ?? []);
  return placesOf(input.turns, before).some((place) => !leftOut.has(place));
}

/**
 * Returns the last view without the messages that are left out now, and the index of the first entry that changed. The
 * same record is returned if nothing changed.
 */
export function withoutLeftOut(
  context: PlanningContext,
  last: ViewRecord,
): { readonly record: ViewRecord; readonly cut: number } {
  const { entries } = last;
  if (context.leftOut.rows.length === 0) return { record: last, cut: entries.length };
  const held = heldByNewlyLeftOut(context, last);
  const others = entries
    .flatMap((entry) => withoutMessage(context, entry))
    .map((entry) =>
      withoutParts(context, entry, (part) => held.has(part.of) && !isPresent(context, part)),
    );
  const first = firstChange(entries, others);
  const kept = startedByUser(
    context,
    others.map((entry, index) =>
      index < first ? entry : withoutParts(context, entry, (part) => !isActive(context, part)),
    ),
  );
  const cut = firstChange(entries, kept);
  if (cut === entries.length && kept.length === entries.length) return { record: last, cut };
  const repaired = repairReferences(context, kept, cut, () => false);
  const isBound = boundTo(context) !== undefined;
  const valid = isBound ? withoutThinking(context, repaired, cut) : repaired;
  return { record: { ...last, entries: valid }, cut };
}

function withoutMessage(context: PlanningContext, entry: ViewEntry): readonly ViewEntry[] {
  const place = placeIn(entry);
  if (place === undefined || !context.leftOut.has(place)) return [entry];
  if (entry.type !== "result" || context.leftOut.has({ turn: place.turn, step: place.step }))
    return [];
  return entry.of === undefined ? [entry] : [missingResult(context, entry)];
}

/**
 * Returns the handles of the objects of results that the last view did not leave out: the calls, and the files that they
 * read, wrote or named. Their messages may have left the view before.
 */
function heldByNewlyLeftOut(
  { input, leftOut }: PlanningContext,
  last: ViewRecord,
): ReadonlySet<string> {
  const before = leftOutOf(epochMemory(last).left_out ?? []);
  const places = placesOf(input.turns, leftOut).filter((place) => !before.has(place));
  const handles = places.flatMap(({ turn, step, call }) => {
    if (step === -1)
      return (input.turns[turn]?.user_objects ?? []).flatMap(
        ({ id }) => input.pool.get(id)?.handle ?? [],
      );
    const found = input.turns[turn]?.steps[step];
    const ids = found !== undefined && isAssistantStep(found) ? found.toolcall_ids : [];
    const left = call === undefined ? ids : ids.slice(call, call + 1);
    return left.flatMap((id) => {
      const entry = input.pool.get(id);
      const files = fileReferences(entry?.stored.body).map((file) => input.pool.get(file.id));
      return [entry, ...files].flatMap((one) => (one === undefined ? [] : [one.handle]));
    });
  });
  return new Set(handles);
}

/**
 * Returns an entry in which lines replace the contents that are no longer shown. Content that came only from messages that
 * are left out is not shown outside a result either.
 */
function withoutParts(
  context: PlanningContext,
  entry: ViewEntry,
  isGone: (part: ShownPart) => boolean,
): ViewEntry {
  if (entry.type !== "object") return entry;
  const gone = contentParts(entry).filter(isGone);
  if (gone.length === 0) return entry;
  const shows = entry.shows.flatMap((part) =>
    gone.includes(part) ? linesFor(context, [part]) : [part],
  );
  return sized<ObjectEntry>({ type: "object", shows: once(shows) }, context.source);
}

/** Whether an object is active, with all lines of a part that shows its present version. */
function isActive(context: PlanningContext, part: ShownPart): boolean {
  const object = context.active.get(part.of);
  return (
    object !== undefined && (object.stored.version !== part.version || isPresent(context, part))
  );
}

/** Whether an object is active in the version and with all lines that a part shows. */
function isPresent({ active }: PlanningContext, part: ShownPart): boolean {
  const object = active.get(part.of);
  if (object?.stored.version !== part.version) return false;
  const { form, from = 1, to = from } = part;
  if (object.ranges === undefined) return true;
  return form === "lines" && object.ranges.some((range) => range.from <= from && to <= range.to);
}

function placeIn(entry: ViewEntry): MessagePlace | undefined {
  switch (entry.type) {
    case "user":
      return { turn: entry.turn, step: -1 };
    case "assistant":
    case "opaque":
      return { turn: entry.turn, step: entry.step };
    case "result":
      return { turn: entry.turn, step: entry.step, call: entry.call };
    case "summary":
    case "object":
    case "notice":
    case "added":
      return undefined;
  }
}

/** Returns entries that begin with a user's message, as providers require. */
export function startedByUser(
  { source }: PlanningContext,
  entries: readonly ViewEntry[],
): readonly ViewEntry[] {
  const [first] = entries;
  if (first?.type !== "assistant" && first?.type !== "result") return entries;
  const text = missingMessages.user.write();
  return [sized<NoticeEntry>({ type: "notice", text }, source), ...entries];
}
