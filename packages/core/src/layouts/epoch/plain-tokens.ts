import { lineCount } from "@self-context-manager/objects";
import { argumentsOf } from "../../calls/toolcall-object.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { contentParts, type ResultEntry, type ViewEntry } from "../../view/view-entry.ts";
import { callsOf } from "./deliver.ts";
import type { ViewDraft } from "./view-draft.ts";

/** What a result of ours says in words, its message included: more than that it has in no host of its own. */
const reportTokens = 24;

/**
 * What these messages would have without us: outputs as they came, a file again with every read of it, and no content
 * from calls of our own tools. Blocks and notices of ours are not there at all.
 */
export function plainTokens(draft: ViewDraft, entries: readonly ViewEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    if (entry.is === "object" || entry.is === "notice") continue;
    tokens += entry.is === "result" ? resultTokens(draft, entry) : entry.tokens;
  }
  return tokens;
}

function resultTokens(draft: ViewDraft, entry: ResultEntry): number {
  const body = draft.entryOf(entry.of ?? "")?.stored.body;
  if (body?.["context_tool"] === true) {
    if (body["tool"] !== "read") return Math.min(entry.tokens, reportTokens);
    return hasAll(entry) ? entry.tokens : fileTokens(draft, entry);
  }
  const content = draft.active.get(entry.of ?? "")?.stored.body.content;
  const isTrimmed = entry.shows?.some(({ as }) => as === "part") === true;
  return isTrimmed && typeof content === "string" ? rawEstimator.text(content) + 4 : entry.tokens;
}

function hasAll(entry: ResultEntry): boolean {
  const parts = contentParts(entry);
  return parts.length > 0 && parts.every(({ as }) => as === "whole" || as === "lines");
}

/** The lines that a read asked for, of a file of which less is shown because the rest stands above. */
function fileTokens(draft: ViewDraft, entry: ResultEntry): number {
  const of = entry.shows?.find((part) => part.of !== entry.of)?.of;
  const content = of === undefined ? undefined : draft.active.get(of)?.stored.body.content;
  if (typeof content !== "string") return entry.tokens;
  const step = draft.input.turns[entry.turn]?.steps[entry.step];
  const call = step === undefined ? undefined : callsOf(step)[entry.call];
  const { limit } = argumentsOf(call?.arguments);
  const lines = Math.max(1, lineCount(content));
  const share = typeof limit === "number" ? Math.min(1, Math.max(0, limit / lines)) : 1;
  return Math.ceil(rawEstimator.text(content) * share) + 4;
}
