import { defined } from "@self-context-manager/objects";

import { renderEntry } from "../../render/render-entry.ts";
import { describeEntries } from "../../view/describe-entries.ts";
import type {
  ActiveObject,
  Layout,
  LayoutOutput,
  PoolTokens,
  ViewMessage,
} from "../../view/layout.ts";
import {
  contentParts,
  isCounted,
  isNaming,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { breakpointEnds } from "./breakpoint-ends.ts";
import { isRendered, messageOf } from "./entry-messages.ts";
import { departureOf } from "./departure.ts";
import { epochOf, recordedMemory } from "./epoch-memory.ts";
import { defaultEpochSettings, type EpochSettings } from "./epoch-settings.ts";
import { type PlannedView, planView } from "./plan-view.ts";
import { planningContext, type PlanningContext } from "./planning-context.ts";
import { linesBesideOutput } from "./shown-parts.ts";
import { tokensOf } from "./view-tokens.ts";
import { shownObjects } from "./wanted-parts.ts";

/**
 * Returns the default layout, which keeps the provider's cache (decision D1). Within an epoch, sent bytes never change
 * and new content is appended at the place where it arrives. When the epoch ends, the content that was not used
 * recently leaves the view. Only bytes after the first removed content change.
 */
export function epochLayout(settings: Partial<EpochSettings> = {}): Layout {
  const all = { ...defaultEpochSettings, ...settings };
  const { largeArguments } = all;
  return {
    name: "epoch",
    ...defined({ largeArguments }),
    followsFiles: all.superseded === "at-once",
    render(input, last) {
      const context = planningContext(input, all);
      const before = last?.layout === "epoch" ? last : undefined;
      return outputOf(context, planView(context, before), before?.entries ?? []);
    },
    rebuild: (record, source) => record.entries.map((entry) => renderEntry(entry, source)),
    describe: ({ entries }) => describeEntries(entries),
    epochOf,
    departureOf: (record, handle, changes) => departureOf(all, record, handle, changes),
    needs: neededVersions,
  };
}

function outputOf(
  context: PlanningContext,
  planned: PlannedView,
  before: readonly ViewEntry[],
): LayoutOutput {
  const { input } = context;
  const { entries } = planned;
  const messages: ViewMessage[] = entries.map((entry) => messageOf(entry, context.source));
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
    tokens: poolTokens(context, entries),
    shown: shownObjects(context, entries),
    record,
    deactivated: planned.deactivated,
    boundaries: breakpointEnds(context, entries, before, planned.cut),
    epoch: planned.figures,
  };
}

function poolTokens(context: PlanningContext, entries: readonly ViewEntry[]): PoolTokens {
  let metadata = 0;
  let chat = 0;
  let active = 0;
  for (const entry of entries) {
    const tokens = tokensOf(context, entry);
    const isLine = entry.type === "result" ? entry.form !== "bare" : entry.type === "notice";
    if (contentParts(entry).length > 0) active += tokens;
    else if (isLine || entry.type === "object") metadata += tokens;
    else chat += tokens;
  }
  return { metadata, chat, active };
}

/**
 * Returns the versions that an epoch needs to continue. They are every content in view, because an end can show it in
 * another way, and the objects of messages that this process has not rendered yet. The contents in view are needed even
 * if they are rendered already: a resumed session must decide like a session that was never interrupted.
 */
function neededVersions(
  record: ViewRecord,
  active: readonly ActiveObject[],
  isLatest: (handle: string, version: number) => boolean = () => false,
): readonly string[] {
  const names = new Set<string>();
  const addLine = (handle: string, version: number): void => {
    if (!isLatest(handle, version)) names.add(`${handle}@${version}`);
  };
  for (const entry of record.entries) {
    const isNew = !isRendered(entry);
    const isBare = entry.type === "result" && entry.form === "bare" && entry.replaces !== undefined;
    if ((isNew || isBare) && entry.type === "result" && entry.of !== undefined) {
      if (entry.form === "reference") addLine(entry.of, entry.version ?? 1);
      else names.add(`${entry.of}@${entry.version ?? 1}`);
    }
    for (const { of, version } of linesBesideOutput(entry)) addLine(of, version);
    for (const part of partsOf(entry)) {
      // The line of many changes needs no object.
      if (isCounted(part)) continue;
      if (isNaming(part) || part.form === "above" || part.form === "change") {
        if (isNew) addLine(part.of, part.version);
        if (isNew && part.since !== undefined) addLine(part.of, part.since);
        continue;
      }
      names.add(`${part.of}@${part.version}`);
      if (part.since !== undefined) names.add(`${part.of}@${part.since}`);
    }
  }
  for (const { entry, stored } of active) names.delete(`${entry.handle}@${stored.version}`);
  return [...names];
}

function partsOf(entry: ViewEntry): readonly ShownPart[] {
  return entry.type === "result" || entry.type === "object" ? (entry.shows ?? []) : [];
}
