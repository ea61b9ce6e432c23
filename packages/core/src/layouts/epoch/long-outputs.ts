import type { CallKind } from "../../calls/call-kind.ts";
import { argumentsOf } from "../../chat/message.ts";
import { endsOfTokens } from "../../render/head-and-tail.ts";
import type { ResultEntry, ShownPart, ViewEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";
import { hasFileBlocks } from "./wanted-parts.ts";

/** Kinds of calls whose long output is shown by its beginning and end from an epoch's end on. */
const kinds: ReadonlySet<CallKind> = new Set(["command", "search", "web", "other"]);

/** Usual tokens of the header and of the mark between the ends. */
const markTokens = 40;

/** A result with a long output of which the middle can leave. */
interface LongOutput {
  readonly entry: ResultEntry;
  /** Tokens that leave the view with the middle. */
  readonly saves: number;
}

/**
 * Returns the long output that an entry shows whole, if its middle can leave. An output that was asked for or is pinned
 * stays whole, and so does one with images.
 */
export function longOutput(context: PlanningContext, entry: ViewEntry): LongOutput | undefined {
  const { trim } = context.settings;
  if (trim === undefined || entry.type !== "result" || entry.tokens <= trim.over) return undefined;
  if (!entry.shows?.some((part) => isOwn(entry, part))) return undefined;
  const object = context.active.get(entry.of ?? "");
  const isWanted = object?.isAsked === true || object?.isPinned === true;
  if (object === undefined || isWanted || hasFileBlocks(object)) return undefined;
  const call = context.callAt(entry);
  if (call === undefined) return undefined;
  const { kind } = context.toolFacts(call.name, argumentsOf(call.arguments));
  const saves = entry.tokens - trim.head - trim.tail - markTokens;
  return kinds.has(kind) && saves > 0 ? { entry, saves } : undefined;
}

/** Returns an entry whose long output, if its middle can leave, is shown by its beginning and end. */
export function withOutputEnds<Entry extends ViewEntry>(
  context: PlanningContext,
  entry: Entry,
): Entry | ResultEntry {
  const output = longOutput(context, entry);
  return output === undefined ? entry : endsOf(context, output.entry);
}

function endsOf(context: PlanningContext, entry: ResultEntry): ResultEntry {
  const { trim } = context.settings;
  const shows = entry.shows?.map((part): ShownPart => {
    const content = context.source.object(part.of, part.version)?.stored.body.content;
    if (trim === undefined || !isOwn(entry, part) || typeof content !== "string") return part;
    const { of, version } = part;
    return { of, version, form: "part", ...endsOfTokens(content, trim.head, trim.tail) };
  });
  return shows === undefined ? entry : context.sized({ ...entry, shows });
}

function isOwn({ of }: ResultEntry, part: ShownPart): boolean {
  return part.of === of && part.form === "whole";
}
