import {
  isReference,
  lineCount,
  type LineRange,
  type ObjectMetadata,
  type Reference,
} from "@self-context-manager/objects";
import type { CallKind } from "../../calls/call-kind.ts";
import { argumentsOf } from "../../calls/toolcall-object.ts";
import { type Block, isImage, isToolCall, type ToolCallBlock } from "../../chat/message.ts";
import { isAssistantStep, isDiscarded, type Step } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { textDifference } from "../../render/text-difference.ts";
import type { ActiveObject } from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type {
  AssistantEntry,
  ObjectEntry,
  OpaqueEntry,
  ResultEntry,
  ShownPart,
  UserEntry,
  ViewEntry,
} from "../../view/view-entry.ts";
import type { ShownParts } from "./shown-parts.ts";
import { sized, type ViewDraft } from "./view-draft.ts";

/** The entry of a turn's user message; undefined where it says nothing. */
export function userEntry(draft: ViewDraft, turn: number): UserEntry | undefined {
  const said = draft.input.turns[turn]?.user ?? null;
  if (said === null || withoutEmpty(said).length === 0) return undefined;
  return sized<UserEntry>({ is: "user", turn }, draft.source);
}

/** The entries of a step: the answer and, directly after it, a result for each of its calls. */
export function stepEntries(
  draft: ViewDraft,
  parts: ShownParts,
  turn: number,
  index: number,
): readonly ViewEntry[] {
  const step = draft.input.turns[turn]?.steps[index];
  if (step === undefined) return [];
  if (!isAssistantStep(step))
    return [sized<OpaqueEntry>({ is: "opaque", turn, step: index }, draft.source)];
  if (isDiscarded(step) || withoutEmpty(step.assistant).length === 0) return [];
  const answer = sized<AssistantEntry>({ is: "assistant", turn, step: index }, draft.source);
  parts.add(answer);
  const results = callsOf(step).map((call, position) => {
    const entry = resultEntry(draft, parts, { turn, step: index, call: position }, call);
    parts.add(entry);
    return entry;
  });
  return [answer, ...results];
}

export function callsOf(step: Step): readonly ToolCallBlock[] {
  return isAssistantStep(step) ? step.assistant.filter(isToolCall) : [];
}

/** How a tool's result is delivered: each content once, in the place where it arrives. */
export function resultEntry(
  draft: ViewDraft,
  parts: ShownParts,
  place: { readonly turn: number; readonly step: number; readonly call: number },
  call: ToolCallBlock,
  isLate = false,
): ResultEntry {
  const step = draft.input.turns[place.turn]?.steps[place.step];
  const id =
    step !== undefined && isAssistantStep(step) ? step.toolcall_ids[place.call] : undefined;
  const known = id === undefined ? undefined : draft.input.pool.get(id);
  if (known === undefined)
    return sized<ResultEntry>({ is: "result", ...place, as: "bare" }, draft.source);
  // What stands further down than a late result is not above it.
  const replaces = isLate ? undefined : replacedFile(draft, parts, known.stored.body, call);
  const entry = {
    is: "result" as const,
    ...place,
    of: known.handle,
    version: known.stored.version,
    ...(replaces === undefined ? {} : { replaces }),
  };
  const isOwn = known.stored.body["context_tool"] === true;
  const shows = isOwn ? targetParts(draft, parts, known) : ownParts(draft, known, call);
  if (shows === "reference") return sized<ResultEntry>({ ...entry, as: "reference" }, draft.source);
  return shows.length === 0
    ? sized<ResultEntry>({ ...entry, as: "bare" }, draft.source)
    : sized<ResultEntry>({ ...entry, as: "shown", shows }, draft.source);
}

/** What one of our own tools brought into view: the objects that its call activated. */
function targetParts(draft: ViewDraft, parts: ShownParts, known: PoolEntry): readonly ShownPart[] {
  const own = draft.active.get(known.handle);
  const images: readonly ShownPart[] =
    own === undefined ? [] : [{ of: known.handle, version: known.stored.version, as: "whole" }];
  const references = known.stored.body["target_refs"];
  if (!Array.isArray(references)) return images;
  const ids = references.flatMap((reference) => (isReference(reference) ? [reference.id] : []));
  const shows = ids.flatMap((id) => {
    const target = draft.input.pool.get(id);
    const object = target === undefined ? undefined : draft.active.get(target.handle);
    return object === undefined ? [] : wantedParts(draft, parts, object, true);
  });
  return [...shows, ...images];
}

/** What files and sub-agents say is shown whole however long it is. */
const trimmed: ReadonlySet<CallKind> = new Set(["command", "search", "web", "other"]);

/** How the output of any other tool is shown. */
function ownParts(
  draft: ViewDraft,
  { handle }: PoolEntry,
  call: ToolCallBlock,
): readonly ShownPart[] | "reference" {
  const object = draft.active.get(handle);
  if (object === undefined) return "reference";
  const { content } = object.stored.body;
  const part = { of: handle, version: object.stored.version };
  const whole: ShownPart = { ...part, as: "whole" };
  if (content === null || hasImages(object)) return [whole];
  const { settings, toolFacts } = draft;
  const tokens = rawEstimator.text(content);
  if (tokens < settings.small && !looksLikeOurs(content)) return [];
  const { trim } = settings;
  if (trim === undefined || tokens <= trim.over || object.isAsked === true || object.isPinned)
    return [whole];
  const { kind } = toolFacts(call.name, argumentsOf(call.arguments));
  if (!trimmed.has(kind)) return [whole];
  return [{ ...part, as: "part", ...endsOf(content, trim.head, trim.tail) }];
}

/** How many characters a head and a tail of so many tokens have, at ends of lines where that costs little. */
export function endsOf(
  content: string,
  head: number,
  tail: number,
): { readonly head: number; readonly tail: number } {
  const first = charactersOf(content, head);
  const reversed = tail === 0 ? 0 : charactersOf(content.slice(-tail * 8), tail, true);
  const lastBreak = content.lastIndexOf("\n", first - 1) + 1;
  const headEnd = lastBreak > first * 0.7 ? lastBreak : first;
  const tailStart = content.length - reversed;
  const nextBreak = content.indexOf("\n", tailStart) + 1;
  const isNear = nextBreak > 0 && nextBreak - tailStart < reversed * 0.3;
  return { head: headEnd, tail: content.length - (isNear ? nextBreak : tailStart) };
}

/** How many characters of a text's beginning, or end, have at most so many tokens. */
function charactersOf(content: string, tokens: number, fromEnd = false): number {
  let low = 0;
  let high = Math.min(content.length, tokens * 8);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const piece = fromEnd ? content.slice(-middle) : content.slice(0, middle);
    if (rawEstimator.text(piece) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What must be added so that an active object is in view as it is wanted; empty where it is. */
export function wantedParts(
  draft: ViewDraft,
  parts: ShownParts,
  object: ActiveObject,
  isAnswer: boolean,
): readonly ShownPart[] {
  const { entry, stored, range } = object;
  const of = entry.handle;
  const { version } = stored;
  const shown = parts.of(of);
  const content = stored.body.content ?? "";
  // Outputs never change, and lines of the chat stand as they were asked for.
  const isFixed = stored.body.type === "toolcall" || stored.body.type === "chat";
  const current = isFixed ? shown : shown.filter((part) => part.version === version);
  const isThere = parts.isBare(of) || current.some(({ as }) => as === "whole" || as === "diff");
  const missing = isThere ? [] : missingRanges(range, current, lineCount(content));
  if (missing.length === 0) {
    return isAnswer ? [{ of, version, as: "above" }] : [];
  }
  if (!isAnswer && parts.isScarce(of)) return [];
  const isTrimmed = current.some(({ as }) => as === "part");
  if (isTrimmed && object.isAsked !== true && !isAnswer) return [];
  const base = shown.findLast(({ as }) => as === "whole" || as === "diff");
  const isOlder = base !== undefined && base.version < version;
  // What replaces an older version at once cannot lean on it.
  const leans = isOlder && draft.settings.superseded === "at-epoch-end";
  // What the model wrote itself stands in its calls; a version of anybody else's among them does not.
  const made = (): number => versionsMade(draft, entry, parts.changesOf(of));
  if (leans && !isAnswer && made() >= version - base.version) return [];
  if (leans && draft.settings.differences && stored.body.content !== null) {
    const difference = differencePart(draft, object, base.version);
    if (difference !== undefined) return [difference];
  }
  const isEverything = range === undefined && current.length === 0;
  if (isEverything || stored.body.content === null) return [{ of, version, as: "whole" }];
  return missing.map(({ from, to }) => ({ of, version, as: "lines" as const, from, to }));
}

function differencePart(
  draft: ViewDraft,
  { entry, stored }: ActiveObject,
  since: number,
): ShownPart | undefined {
  const before = draft.source.object(entry.handle, since)?.stored.body.content;
  const after = stored.body.content;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const { patch } = textDifference(before, after);
  if (patch.length >= after.length * 0.7) return undefined;
  return { of: entry.handle, version: stored.version, as: "diff", since };
}

/** The lines of a range, or of the whole, that are in no part of a content. */
function missingRanges(
  range: LineRange | undefined,
  shown: readonly ShownPart[],
  lines: number,
): readonly LineRange[] {
  let missing: LineRange[] = [range ?? { from: 1, to: Math.max(1, lines) }];
  for (const part of shown) {
    if (part.as !== "lines") continue;
    const from = part.from ?? 1;
    const to = part.to ?? lines;
    missing = missing.flatMap((rest) =>
      [
        { from: rest.from, to: Math.min(rest.to, from - 1) },
        { from: Math.max(rest.from, to + 1), to: rest.to },
      ].filter((piece) => piece.from <= piece.to),
    );
  }
  return missing;
}

/** Active objects that no result shows: activated by a person, changed by others, restored by going back. */
export function missingObjects(draft: ViewDraft, parts: ShownParts): readonly ObjectEntry[] {
  return draft.input.active.flatMap((object) => {
    const shows = wantedParts(draft, parts, object, false);
    if (shows.length === 0) return [];
    return [sized<ObjectEntry>({ is: "object", shows }, draft.source)];
  });
}

/** What is still in view in an older version, and no longer with all that was changed since. */
export function outdatedObjects(draft: ViewDraft, parts: ShownParts): readonly ObjectEntry[] {
  const active = draft.input.active.filter(({ entry }) => parts.of(entry.handle).length > 0);
  return missingObjects({ ...draft, input: { ...draft.input, active } }, parts);
}

/** How many versions of a file calls made: one that changes nothing refers to the version that was there. */
function versionsMade(draft: ViewDraft, { id }: PoolEntry, calls: readonly string[]): number {
  const made = new Set<number>();
  for (const call of calls) {
    for (const reference of filesOf(draft.entryOf(call)?.stored.body))
      if (reference.id === id && reference.ref === "static") made.add(reference.tx_id);
  }
  return made.size;
}

function filesOf(body: ObjectMetadata | undefined): readonly Reference[] {
  const references = body?.["file_refs"];
  return Array.isArray(references) ? references.filter(isReference) : [];
}

/** The file that a call changed, where an older version of it stands in view and nobody else made the newest. */
function replacedFile(
  draft: ViewDraft,
  parts: ShownParts,
  body: ObjectMetadata,
  call: ToolCallBlock,
): ResultEntry["replaces"] {
  const references = filesOf(body);
  if (references.length === 0 || body["context_tool"] === true) return undefined;
  const { kind, writtenPath } = draft.toolFacts(call.name, argumentsOf(call.arguments));
  // Searches and commands refer to the files that they name.
  if (kind !== "write" && kind !== "edit" && writtenPath === undefined) return undefined;
  for (const reference of references) {
    const file = draft.input.pool.get(reference.id);
    const above = file === undefined ? undefined : parts.of(file.handle).at(-1);
    if (file === undefined || above === undefined) continue;
    const { version, body: newest } = file.stored;
    if (newest.provenance.generator !== "agent") continue;
    if (above.version < version) return { of: file.handle, version, above: above.version };
  }
  return undefined;
}

/** A text that could be taken for one of our own lines is not shown without its envelope. */
function looksLikeOurs(content: string): boolean {
  return /^\[[a-z]\d+ |^[a-z]\d+ .*\n~{3,}|^~{3,}/mu.test(content);
}

function hasImages({ stored }: ActiveObject): boolean {
  const blocks = stored.body["blocks"];
  return Array.isArray(blocks) && (blocks as readonly Block[]).some(isImage);
}
