import { lineCount } from "@self-context-manager/objects";
import { argumentsOf } from "../../chat/message.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { contentParts, hasLeft, type ResultEntry, type ViewEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Upper bound, in tokens, for the text of a context tool's own result when the content is shown elsewhere. */
const reportTokens = 24;

/**
 * Returns the tokens that these messages would have in a host without a context manager: every output is shown in full
 * and a file again with each read of it. Calls of context tools show no content, and there are no objects outside
 * results and no notices.
 */
export function plainTokens(context: PlanningContext, entries: readonly ViewEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    if (entry.type === "object" || entry.type === "notice") continue;
    if (entry.type === "user" && entry.parts?.some(hasLeft) === true)
      tokens += context.sized({ type: "user", turn: entry.turn }).tokens;
    else tokens += entry.type === "result" ? resultTokens(context, entry) : entry.tokens;
  }
  return tokens;
}

function resultTokens(context: PlanningContext, entry: ResultEntry): number {
  const body = context.entryOf(entry.of ?? "")?.stored.body;
  if (body?.["context_tool"] === true) {
    const { tool } = body;
    const { kind, contextTool } = context.toolFacts(typeof tool === "string" ? tool : "", {});
    if (kind !== "read" && contextTool !== "read") return Math.min(entry.tokens, reportTokens);
    return hasAll(entry) ? entry.tokens : fileTokens(context, entry);
  }
  const content = context.active.get(entry.of ?? "")?.stored.body.content;
  const isInPart = entry.shows?.some(({ form }) => form === "part") === true;
  return isInPart && typeof content === "string" ? rawEstimator.text(content) + 4 : entry.tokens;
}

function hasAll(entry: ResultEntry): boolean {
  const parts = contentParts(entry);
  return parts.length > 0 && parts.every(({ form }) => form === "whole" || form === "lines");
}

/** Returns the tokens of the lines that a read asked for, if fewer lines are shown because the others are above. */
function fileTokens(context: PlanningContext, entry: ResultEntry): number {
  const of = entry.shows?.find((part) => part.of !== entry.of)?.of;
  const content = of === undefined ? undefined : context.active.get(of)?.stored.body.content;
  if (typeof content !== "string") return entry.tokens;
  const { limit } = argumentsOf(context.callAt(entry)?.arguments);
  const lines = Math.max(1, lineCount(content));
  const share = typeof limit === "number" ? Math.min(1, Math.max(0, limit / lines)) : 1;
  return Math.ceil(rawEstimator.text(content) * share) + 4;
}
