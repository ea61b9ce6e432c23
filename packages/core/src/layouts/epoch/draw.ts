import { groupsOf, joined, madeOnce } from "@self-context-manager/objects";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { messageOf } from "../../render/drawn-entry.ts";
import type { LayoutOutput, PoolTokens, ViewMessage } from "../../view/layout.ts";
import { contentParts, type ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import type { Decisions } from "./decide.ts";
import { recordedMemory } from "./epoch-memory.ts";
import { isRaw, type PlanningContext } from "./planning-context.ts";
import { shownObjects } from "./wanted-parts.ts";

/**
 * Draws the view that was decided: its messages, its record and its figures. The message of an entry that has not changed
 * is the same object as before. Nothing is decided here.
 */
export function draw(
  context: PlanningContext,
  { entries, memory, marks, figures, deactivated }: Decisions,
): LayoutOutput {
  const { input } = context;
  const groups = groupsOf(entries).map((group) => messagesOf(context, group));
  const record: ViewRecord = {
    layout: "epoch",
    entries,
    turns: input.turns.length,
    steps: input.turns.at(-1)?.steps.length ?? 0,
    workspace: input.workspace,
    memory: recordedMemory(memory),
  };
  return {
    messages: joined(groups),
    tokens: poolTokens(context, entries),
    shown: shownObjects(context, entries),
    record,
    deactivated,
    boundaries: marks,
    epoch: figures,
  };
}

const drawn = new WeakMap<readonly ViewEntry[], readonly ViewMessage[]>();

function messagesOf(
  { source }: PlanningContext,
  group: readonly ViewEntry[],
): readonly ViewMessage[] {
  return madeOnce(drawn, group, () => group.map((entry) => messageOf(entry, source)));
}

/** The tokens of groups, with the estimator by which they were counted. */
const pooled = new WeakMap<
  readonly ViewEntry[],
  { readonly estimator: unknown; readonly tokens: PoolTokens }
>();

function poolTokens(context: PlanningContext, entries: readonly ViewEntry[]): PoolTokens {
  const sums = { metadata: 0, chat: 0, active: 0 };
  const estimator = isRaw(context.input) ? rawEstimator : context.input.estimator;
  for (const group of groupsOf(entries)) {
    let known = pooled.get(group);
    if (known?.estimator !== estimator) {
      known = { estimator, tokens: groupTokens(context, group) };
      pooled.set(group, known);
    }
    sums.metadata += known.tokens.metadata;
    sums.chat += known.tokens.chat;
    sums.active += known.tokens.active;
  }
  return sums;
}

function groupTokens(context: PlanningContext, group: readonly ViewEntry[]): PoolTokens {
  let metadata = 0;
  let chat = 0;
  let active = 0;
  for (const entry of group) {
    const tokens = context.tokensOf(entry);
    const isLine = entry.type === "result" ? entry.form !== "bare" : entry.type === "notice";
    if (contentParts(entry).length > 0) active += tokens;
    else if (isLine || entry.type === "object") metadata += tokens;
    else chat += tokens;
  }
  return { metadata, chat, active };
}
