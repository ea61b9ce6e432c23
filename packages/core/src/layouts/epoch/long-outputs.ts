import type { CallKind } from "../../calls/call-kind.ts";
import { argumentsOf, type ToolCallBlock } from "../../chat/message.ts";
import { endsOfTokens } from "../../render/head-and-tail.ts";
import type { ActiveObject } from "../../view/layout.ts";
import { groupsOf } from "@self-context-manager/objects";
import { factsOf, rawTokens } from "../../view/entry-groups.ts";
import type { ResultEntry, ShownPart, ViewEntry } from "../../view/view-entry.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import type { PlanningContext } from "./planning-context.ts";
import { hasFileBlocks } from "./wanted-parts.ts";

/** Kinds of calls whose long output is shown by its beginning and end. */
const kinds: ReadonlySet<CallKind> = new Set(["command", "search", "web", "other"]);

/** Usual tokens of the header and of the mark between the ends. */
const markTokens = 40;

/** Whether an output can be shown by its ends: that of a command or the like, if it is not pinned or asked for. */
function canBeCut(
  { toolFacts }: PlanningContext,
  object: ActiveObject,
  call: ToolCallBlock,
): boolean {
  if (object.isAsked === true || object.isPinned) return false;
  return kinds.has(toolFacts(call.name, argumentsOf(call.arguments)).kind);
}

/** Returns the beginning and the end of a new output, or undefined if it is shown whole. `tokens`: those of its text. */
export function endsOfOutput(
  context: PlanningContext,
  object: ActiveObject,
  call: ToolCallBlock,
  tokens: number,
): ShownPart | undefined {
  const { trim, freshOutputs } = context.settings;
  if (freshOutputs === "whole" || trim === undefined || tokens <= trim.over) return undefined;
  return canBeCut(context, object, call) ? endsOf(object, trim) : undefined;
}

function endsOf(
  { entry, stored }: ActiveObject,
  { head, tail }: NonNullable<EpochSettings["trim"]>,
): ShownPart {
  const ends = endsOfTokens(stored.body.content ?? "", head, tail);
  return { of: entry.handle, version: stored.version, form: "part", ...ends };
}

/** Returns the tokens of the middle of an output that is shown whole and can leave; 0 if there is none. */
export function middleTokens(context: PlanningContext, entry: ViewEntry): number {
  const { trim, freshOutputs } = context.settings;
  if (freshOutputs === "ends" || trim === undefined) return 0;
  if (entry.type !== "result" || entry.tokens <= trim.over) return 0;
  if (!entry.shows?.some((part) => isOwn(entry, part))) return 0;
  const object = context.active.get(entry.of ?? "");
  const call = context.callAt(entry);
  if (object === undefined || call === undefined || hasFileBlocks(object)) return 0;
  if (!canBeCut(context, object, call)) return 0;
  return Math.max(0, entry.tokens - trim.head - trim.tail - markTokens);
}

/** A view before anything leaves. */
export interface Weighed {
  readonly entries: readonly ViewEntry[];
  /** The number of entries that were sent before. */
  readonly sent: number;
  /** Returns how many entries the provider reads from its cache if those before an index stay. */
  readonly cachedBefore: (cut: number) => number;
}

/** Share of the rewrite cost at which middles leave; the model seldom needs one again. */
const shareOfMiddles = 0.5;

/**
 * Returns the index of the first output whose middle leaves now, with those of all outputs behind it; undefined if none
 * leaves. Reading these middles again has then cost their share of what it costs to write again what follows.
 */
export function cutOfMiddles(
  context: PlanningContext,
  { entries, sent, cachedBefore }: Weighed,
): number | undefined {
  const { read, write, isCold } = context.cache;
  let [answers, carried, gone, behind] = [0, 0, 0, 0];
  let found: number | undefined;
  let start = entries.length;
  for (const group of groupsOf(entries).toReversed()) {
    start -= group.length;
    const facts = factsOf(group);
    if (facts.content.length === 0 && start + group.length <= sent) {
      answers += facts.answers.length;
      behind += facts.tokens;
      continue;
    }
    for (let index = start + group.length - 1; index >= start; index -= 1) {
      const entry = entries[index];
      if (entry?.type === "assistant") answers += 1;
      if (entry === undefined || index >= sent) continue;
      behind += entry.tokens;
      if (answers === 0) continue;
      const middle = middleTokens(context, entry);
      if (middle === 0) continue;
      gone += middle;
      carried += read * middle * (answers - 1);
      const lost = isCold ? 0 : rawTokens(entries, cachedBefore(index), index);
      const written = isCold ? 0 : Math.max(0, lost + behind - gone);
      if (carried >= shareOfMiddles * (write - read) * written) found = index;
    }
  }
  return found;
}

/** Returns an entry without the middle of its output, if it can leave. */
export function withoutMiddle(context: PlanningContext, entry: ViewEntry): ViewEntry {
  const { trim } = context.settings;
  if (entry.type !== "result" || trim === undefined || middleTokens(context, entry) === 0)
    return entry;
  const object = context.active.get(entry.of ?? "");
  if (object === undefined) return entry;
  const ends = endsOf(object, trim);
  const shows = (entry.shows ?? []).map((part) => (isOwn(entry, part) ? ends : part));
  return context.sized({ ...entry, shows });
}

function isOwn({ of }: ResultEntry, part: ShownPart): boolean {
  return part.of === of && part.form === "whole";
}
