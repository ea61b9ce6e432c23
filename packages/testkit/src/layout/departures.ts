import {
  callsOf,
  handlesShown,
  type LayoutInput,
  type MessagePlace,
  type ViewRecord,
} from "@self-context-manager/core/layout";
import {
  type EpochSettings,
  isToolCall,
  type Layout,
  type ViewMessage,
} from "@self-context-manager/core";
import type { EpochFigures } from "@self-context-manager/core/host";
import { isJsonObject } from "@self-context-manager/objects";
import assert from "node:assert/strict";

import type { PlayedCall } from "./play-session.ts";
import { foldedHandles } from "./fold-faults.ts";
import { hasOtherMessages } from "./justified-end.ts";
import { isShortened } from "./replacing-lines.ts";

/** Checks that each inactive object with content in the last view has left, or stays, as the layout reported. */
export function assertDeparts(
  layout: Layout,
  call: PlayedCall,
  epoch: EpochFigures,
  { deactivate }: EpochSettings,
): void {
  const { last, input, output, isCompacted } = call;
  if (last === undefined || isCompacted || isShortened(output.messages, input)) return;
  if (hasOtherMessages(call)) return;
  // With a larger budget the view is made again: what a smaller one had moved is at its place again.
  if ((input.budget ?? Number.POSITIVE_INFINITY) > (call.lastBudget ?? Number.POSITIVE_INFINITY))
    return;
  // Without an answer to the last view, no one has asked for a deactivation after it. The user can also have gone back.
  if (answersIn(output.record) <= answersIn(last)) return;
  const active = new Set(input.active.map(({ entry }) => entry.handle));
  // The result of a change of a file can leave with the version of the file that it replaces.
  const changing = new Set(
    last.entries.flatMap((entry) =>
      entry.type === "result" && entry.replaces !== undefined ? [entry.of] : [],
    ),
  );
  const newest = new Set(newestParts(output.record));
  const isSwept = epoch.isNew && epoch.endedBy !== "outputs";
  const folded = foldedHandles(output.record, input);
  for (const handle of handlesShown(last.entries)) {
    if (active.has(handle) || changing.has(handle) || newest.has(handle)) continue;
    const changes = changesOf(handle, last, input);
    const departure = layout.departureOf?.(
      last,
      handle,
      changes.map(({ place }) => place),
    );
    assert.ok(departure, `${handle} is in view, but its departure is not reported`);
    const isThere = handlesShown(output.record.entries).has(handle);
    const canStay = deactivate === "at-epoch-end" || isReport(handle, input);
    assert.ok(departure.when !== "never" || canStay, `${handle} is too short to leave at once`);
    if (departure.when === "never")
      assert.ok(
        isThere || folded.has(handle),
        `${handle} was reported to stay, but has left the view`,
      );
    else if (departure.when === "next-call" || isSwept) {
      const isRestThere = isThere || changes.some(({ id }) => hasCall(output.messages, id));
      assert.ok(
        departure.mayStay === true || !isRestThere,
        `${handle} is inactive and was reported to leave, but is in view`,
      );
      assert.ok(
        departure.mayStay !== true || isRestThere || folded.has(handle),
        `text of ${handle} was reported to stay, but is not in view`,
      );
    }
  }
}

function answersIn({ entries }: ViewRecord): number {
  return entries.filter(({ type }) => type === "assistant").length;
}

/** Whether an object is the report of a context tool, which is never active. */
function isReport(handle: string, { pool }: LayoutInput): boolean {
  const entry = [...pool.values()].find((one) => one.handle === handle);
  return entry?.stored.body["context_tool"] === true;
}

/** Returns the handles of the long parts of the newest user message. They never leave. */
function newestParts({ entries }: ViewRecord): readonly string[] {
  const user = entries.findLast((entry) => entry.type === "user");
  return (user?.parts ?? []).map(({ of }) => of);
}

/** Returns the calls in a view that wrote or edited a file, read only from their arguments. */
function changesOf(
  handle: string,
  { entries }: ViewRecord,
  { pool, turns }: LayoutInput,
): readonly { readonly place: MessagePlace; readonly id: string }[] {
  const file = [...pool.values()].find((entry) => entry.handle === handle);
  const path = file?.stored.body["path"];
  return entries.flatMap((entry) => {
    if (entry.type !== "assistant" || path === undefined) return [];
    const { turn, step } = entry;
    const made = turns[turn]?.steps[step];
    return (made === undefined ? [] : callsOf(made)).flatMap(
      ({ id, name, arguments: args }, call) => {
        const isChange = name === "write" || name === "edit";
        return isChange && isJsonObject(args) && args["path"] === path
          ? [{ place: { turn, step, call }, id }]
          : [];
      },
    );
  });
}

function hasCall(messages: readonly ViewMessage[], id: string): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      message.content.some((block) => isToolCall(block) && block.id === id),
  );
}
