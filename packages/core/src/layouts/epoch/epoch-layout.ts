import { renderEntry } from "../../render/render-entry.ts";
import type { Layout, LayoutOutput, PoolTokens, ViewMessage } from "../../view/layout.ts";
import { contentParts, type ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { breakpointEnds } from "./breakpoint-ends.ts";
import { recordedMemory } from "./epoch-memory.ts";
import { defaultEpochSettings, type EpochSettings } from "./epoch-settings.ts";
import { neededVersions } from "./needed-versions.ts";
import { type PlannedView, planView } from "./plan-view.ts";
import { shownObjects } from "./shown-objects.ts";
import { messageOf, viewDraft, type ViewDraft } from "./view-draft.ts";
import { tokensOf } from "./view-tokens.ts";

/**
 * The layout that keeps a provider's cache (design §7, decision D1): within an epoch bytes that were sent never change,
 * and what is new is appended in the place where it arrives. At the epoch's end everything leaves that was not used
 * lately, from the first such byte on.
 */
export function epochLayout(settings: Partial<EpochSettings> = {}): Layout {
  const all = { ...defaultEpochSettings, ...settings };
  const { largeArguments } = all;
  return {
    name: "epoch",
    ...(largeArguments === undefined ? {} : { largeArguments }),
    render(input, last) {
      const draft = viewDraft(input, all);
      const before = last?.layout === "epoch" ? last : undefined;
      return outputOf(draft, planView(draft, before), before?.entries ?? []);
    },
    rebuild: (record, source) => record.entries.map((entry) => renderEntry(entry, source)),
    needs: neededVersions,
  };
}

function outputOf(
  draft: ViewDraft,
  planned: PlannedView,
  before: readonly ViewEntry[],
): LayoutOutput {
  const { input } = draft;
  const { entries } = planned;
  const messages: ViewMessage[] = entries.map((entry) => messageOf(entry, draft.source));
  const record: ViewRecord = {
    layout: "epoch",
    entries,
    turns: input.turns.length,
    steps: input.turns.at(-1)?.steps.length ?? 0,
    workspace: input.workspace,
    memory: recordedMemory(planned.memory),
  };
  return {
    messages,
    tokens: poolTokens(draft, entries),
    shown: shownObjects(draft, entries),
    record,
    left: planned.left,
    boundaries: breakpointEnds(draft, entries, before, planned.cut),
    epoch: planned.figures,
  };
}

function poolTokens(draft: ViewDraft, entries: readonly ViewEntry[]): PoolTokens {
  let metadata = 0;
  let chat = 0;
  let active = 0;
  for (const entry of entries) {
    const tokens = tokensOf(draft, entry);
    const isLine = entry.is === "result" ? entry.as !== "bare" : entry.is === "notice";
    if (contentParts(entry).length > 0) active += tokens;
    else if (isLine || entry.is === "object") metadata += tokens;
    else chat += tokens;
  }
  return { metadata, chat, active };
}
