import { defined, groupsOf } from "@self-context-manager/objects";
import { isRendered } from "../../render/drawn-entry.ts";
import { renderEntry } from "../../render/render-entry.ts";
import { describeEntries } from "../../view/describe-entries.ts";
import type { ActiveObject, Layout } from "../../view/layout.ts";
import { linesBesideOutput } from "../../view/shown-parts.ts";
import { isContent, isCounted, partsOf, type ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { decide } from "./decide.ts";
import { departureOf } from "./departure.ts";
import { draw } from "./draw.ts";
import { epochOf } from "./epoch-memory.ts";
import { type EpochSettings, everySetting } from "./epoch-settings.ts";
import { planningContext } from "./planning-context.ts";

/**
 * Returns the default layout, which keeps the provider's cache (decision D1). Within an epoch, sent bytes never change
 * and new content is appended at the place where it arrives. When the epoch ends, the content that was not used
 * recently leaves the view. Only bytes after the first removed content change.
 */
export function epochLayout(settings: Partial<EpochSettings> = {}): Layout {
  const all = everySetting(settings);
  const { largeArguments } = all;
  return {
    name: "epoch",
    ...defined({ largeArguments }),
    followsFiles: all.superseded === "at-once",
    render(input, last) {
      const context = planningContext(input, all);
      const before = last?.layout === "epoch" ? last : undefined;
      return draw(context, decide(context, before));
    },
    rebuild: (record, source) => record.entries.map((entry) => renderEntry(entry, source)),
    describe: ({ entries }) => describeEntries(entries),
    epochOf,
    departureOf: (record, handle, changes) => departureOf(all, record, handle, changes),
    needs: neededVersions,
  };
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
  for (const group of groupsOf(record.entries)) {
    const before = settled.get(group);
    // The pool has the newest versions of its lines, as it had them for the last view.
    if (before?.isLatest !== isLatest) addNeeded(names, group, isLatest);
    else for (const name of before.names) names.add(name);
  }
  for (const { entry, stored } of active) names.delete(`${entry.handle}@${stored.version}`);
  return [...names];
}

/** The groups whose messages are all rendered, with the versions that they need while `isLatest` is the same function. */
const settled = new WeakMap<
  readonly ViewEntry[],
  { readonly isLatest: unknown; readonly names: ReadonlySet<string> }
>();

function addNeeded(
  all: Set<string>,
  group: readonly ViewEntry[],
  isLatest: (handle: string, version: number) => boolean,
): void {
  const names = new Set<string>();
  const addLine = (handle: string, version: number): void => {
    if (!isLatest(handle, version)) names.add(`${handle}@${version}`);
  };
  for (const entry of group) {
    const isNew = !isRendered(entry);
    const isBare = entry.type === "result" && entry.form === "bare" && entry.replaces !== undefined;
    if ((isNew || isBare) && entry.type === "result" && entry.of !== undefined) {
      if (entry.form === "reference") addLine(entry.of, entry.version ?? 1);
      else names.add(`${entry.of}@${entry.version ?? 1}`);
    } else if (entry.type === "result" && entry.of !== undefined) {
      // A later version has only other fields, but the line of the sent one can be drawn again.
      addLine(entry.of, entry.version ?? 1);
    }
    for (const { of, version } of linesBesideOutput(entry)) addLine(of, version);
    const parts = partsOf(entry);
    // What refers to a content can be drawn again, with all that is beside it.
    const canChange = isNew || parts.some((part) => part.form === "above" || isContent(part));
    for (const part of parts) {
      const { of, version, since = version } = part;
      if (isContent(part)) for (const one of [version, since]) names.add(`${of}@${one}`);
      // The line of many changes needs no object.
      else if (canChange && !isCounted(part)) for (const one of [version, since]) addLine(of, one);
    }
  }
  if (group.every(isRendered)) settled.set(group, { isLatest, names });
  for (const name of names) all.add(name);
}
