import {
  defined,
  isReference,
  type LineRange,
  type ObjectMetadata,
  rangesWithin,
  sharedLines,
} from "@self-context-manager/objects";
import { rangeIn } from "../../calls/execution.ts";
import {
  fileReferences,
  filesInResult,
  filesRead,
  isLargeUnread,
} from "../../calls/toolcall-object.ts";
import { isFileOfUser } from "../../calls/user-object.ts";
import { argumentsOf, type ToolCallBlock } from "../../chat/message.ts";
import { callsOf, isAfter, isAssistantStep, isDiscarded } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { hasOwnLine } from "../../lines/own-lines.ts";
import type { ActiveObject } from "../../view/layout.ts";
import type { MessagePlace } from "../../view/left-out-rows.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import type { ShownParts } from "../../view/shown-parts.ts";
import type { ResultEntry, ShownPart, ViewEntry } from "../../view/view-entry.ts";
import { answerEntry } from "./bound-thinking.ts";
import { endsOfOutput, withoutMiddle } from "./long-outputs.ts";
import type { PlanningContext } from "./planning-context.ts";
import { hasFileBlocks, requestedParts, wantedParts } from "./wanted-parts.ts";

/**
 * Returns the entries of a step: the answer and, directly after it, a result for each of its calls. `keepsThinking`:
 * whether the answer was thought after exactly the entries before it. A long output that the model has answered without
 * this view is not new, so it is shown by its ends.
 */
export function stepEntries(
  context: PlanningContext,
  parts: ShownParts,
  turn: number,
  index: number,
  keepsThinking: boolean,
): readonly ViewEntry[] {
  const step = context.input.turns[turn]?.steps[index];
  if (step === undefined || context.leftOut.has({ turn, step: index })) return [];
  if (!isAssistantStep(step)) return [context.sized({ type: "opaque", turn, step: index })];
  if (isDiscarded(step)) return [];
  const answer = answerEntry(context, { turn, step: index }, keepsThinking);
  if (answer === undefined) return [];
  parts.add(answer);
  const isAnswered = isAfter(context.newestAnswer, { turn, step: index });
  const results = callsOf(step).map((call, position) => {
    const made = resultEntry(context, parts, { turn, step: index, call: position }, call);
    const entry = isAnswered ? withoutMiddle(context, made) : made;
    parts.add(entry);
    return entry;
  });
  return [answer, ...results];
}

/** Returns the entry of a tool's result. Each content is shown once, at the place where it arrives. */
export function resultEntry(
  context: PlanningContext,
  parts: ShownParts,
  place: Required<MessagePlace>,
  call: ToolCallBlock,
): ResultEntry {
  const known = context.resultAt(place);
  if (known === undefined || context.leftOut.has(place)) return missingResult(context, place);
  const replaces = replacedFile(context, parts, known.stored.body, call);
  const entry = {
    type: "result" as const,
    ...place,
    of: known.handle,
    version: known.stored.version,
    ...defined({ replaces }),
  };
  const isContextTool = known.stored.body["context_tool"] === true;
  const shows = isContextTool
    ? targetParts(context, parts, known)
    : withUnreadFiles(context, known, call);
  if (shows === "reference") return context.sized({ ...entry, form: "reference" });
  return shows.length === 0
    ? context.sized({ ...entry, form: "bare" })
    : context.sized({ ...entry, form: "shown", shows });
}

/** Returns the entry of a result that is not there. */
export function missingResult(
  context: PlanningContext,
  { turn, step, call }: Required<MessagePlace>,
): ResultEntry {
  return context.sized({ type: "result", turn, step, call, form: "bare" });
}

/**
 * Returns the parts that a context tool brought into view: the objects that its call activated. A file that was read and
 * is inactive has its line, because the text of the result was that of the file.
 */
function targetParts(
  context: PlanningContext,
  parts: ShownParts,
  known: PoolEntry,
): readonly ShownPart[] {
  const { body, version } = known.stored;
  const own = context.active.get(known.handle);
  const images: readonly ShownPart[] =
    own === undefined ? [] : [{ of: known.handle, version, form: "whole" }];
  const references = body["target_refs"];
  if (!Array.isArray(references)) return images;
  const ids = references.flatMap((reference) => (isReference(reference) ? [reference.id] : []));
  const read = new Set(filesInResult(body).map(({ id }) => id));
  const range = rangeIn(body["target_range"]);
  const shows = ids.flatMap((id): readonly ShownPart[] => {
    const target = context.input.pool.get(id);
    if (target === undefined) return [];
    const active = context.active.get(target.handle);
    const object = active === undefined ? undefined : withinRange(active, range);
    // A file of the user is shown in the user's role behind the result, because a result may not have such a block.
    if (object !== undefined)
      return wantedParts(context, parts, object, true).filter(
        ({ form }) => form !== "whole" || !isFileOfUser(object.stored.body),
      );
    if (!read.has(id)) return [];
    return [{ of: target.handle, version: target.stored.version, form: "line" }];
  });
  return [...shows, ...images];
}

/**
 * Returns an object with only the lines that a call asked for: each of several calls shows its own. Lines that are not
 * active are not shown. Undefined if none of them is active.
 */
function withinRange(object: ActiveObject, range: LineRange | undefined): ActiveObject | undefined {
  if (range === undefined) return object;
  const asked = rangesWithin([range], object.stored.body.content ?? "");
  if (asked === undefined) return object;
  if (object.ranges === undefined) return { ...object, ranges: asked };
  const active = object.ranges;
  const ranges = asked.flatMap((lines) => sharedLines(active, lines));
  return ranges.length === 0 ? undefined : { ...object, ranges };
}

/** Returns the parts that show the output of a tool that is not a context tool. */
function outputParts(
  context: PlanningContext,
  { handle }: PoolEntry,
  call: ToolCallBlock,
): readonly ShownPart[] | "reference" {
  const object = context.active.get(handle);
  if (object === undefined) return "reference";
  const { content } = object.stored.body;
  const part = { of: handle, version: object.stored.version };
  const whole: ShownPart = { ...part, form: "whole" };
  const range = rangeIn(object.stored.body["shown_range"]);
  if (range !== undefined && object.ranges !== undefined) {
    const shown = withinRange(object, range);
    return shown === undefined ? "reference" : requestedParts(shown, "whole", "lines");
  }
  if (content === null || hasFileBlocks(object)) return [whole];
  const tokens = rawEstimator.text(content);
  if (tokens < context.settings.small && !hasOwnLine(content)) return [];
  return [endsOfOutput(context, object, call, tokens) ?? whole];
}

/**
 * Returns the parts of an output with a line for each file that the tool has read and whose content is not stored,
 * because the file is too large. With the line, the file's growth can be reported.
 */
function withUnreadFiles(
  context: PlanningContext,
  known: PoolEntry,
  call: ToolCallBlock,
): readonly ShownPart[] | "reference" {
  const { handle, stored } = known;
  const lines = filesRead(stored.body).flatMap(({ id }): readonly ShownPart[] => {
    const file = context.input.pool.get(id);
    return file === undefined || !isLargeUnread(file.stored.body)
      ? []
      : [{ of: file.handle, version: file.stored.version, form: "line" }];
  });
  const shows = outputParts(context, known, call);
  if (shows === "reference" || lines.length === 0) return shows;
  const output: ShownPart = { of: handle, version: stored.version, form: "whole" };
  return [...(shows.length === 0 ? [output] : shows), ...lines];
}

/**
 * Returns the file that a tool call changed, if an older version of the file is in view and the agent wrote its newest
 * version.
 */
function replacedFile(
  context: PlanningContext,
  parts: ShownParts,
  body: ObjectMetadata,
  call: ToolCallBlock,
): ResultEntry["replaces"] {
  const references = fileReferences(body);
  if (references.length === 0 || body["context_tool"] === true) return undefined;
  const { kind, writtenPath } = context.toolFacts(call.name, argumentsOf(call.arguments));
  // Searches and commands only refer to the files that they name.
  if (kind !== "write" && kind !== "edit" && writtenPath === undefined) return undefined;
  for (const reference of references) {
    const file = context.input.pool.get(reference.id);
    const above = file === undefined ? undefined : parts.of(file.handle).at(-1);
    if (file === undefined || above === undefined) continue;
    const { version, body: newest } = file.stored;
    if (newest.provenance.generator !== "agent") continue;
    if (above.version < version) return { of: file.handle, version, above: above.version };
  }
  return undefined;
}
