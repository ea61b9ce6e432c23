import { everyLayout } from "@self-context-manager/compose";
import {
  type CallSummary,
  compareViews,
  type DescribedEntry,
  epochEndReason,
  type RebuiltView,
  type ViewDifference,
  type ViewHistory,
} from "@self-context-manager/core/inspect";

import { type Command, jsonOption } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { fields } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import { callView, failUnverified, sessionNote, sessionViews } from "../session-views.ts";

export const diffCommand: Command = {
  name: "diff",
  summary: "show the first bytes that changed between two calls, and why",
  arguments: "SESSION CALL CALL",
  argumentCount: { least: 3, most: 3 },
  options: jsonOption,
  notes: `${sessionNote} CALL counts from 1; scm view SESSION lists the calls.
Messages are compared as JSON, because a provider's cache compares bytes: everything before
the first different byte can be read from the cache.`,
  async run(call) {
    const [session = "", first = "", second = ""] = call.arguments;
    await using store = await call.openStore();
    const history = await sessionViews(store, call, session);
    const before = await callView(history, first);
    const after = await callView(history, second);
    const difference = compareViews(before, after);
    const ends = await endsBetween(history, before, after);
    await call.print(
      call.isSet("json")
        ? jsonText(differenceJson(before, after, difference, ends))
        : differenceText(before, after, difference, ends),
    );
    failUnverified([before, after], (text) => call.note(text));
  },
};

/** The calls after the earlier one, up to the later one, that began an epoch. */
async function endsBetween(
  history: ViewHistory,
  before: RebuiltView,
  after: RebuiltView,
): Promise<readonly CallSummary[]> {
  const from = Math.min(before.call, after.call);
  const to = Math.max(before.call, after.call);
  const ends: CallSummary[] = [];
  for await (const call of history.list(from + 1, to))
    if (call.epoch?.call === 1 && call.epoch.endedBy !== undefined) ends.push(call);
  return ends;
}

function differenceText(
  before: RebuiltView,
  after: RebuiltView,
  difference: ViewDifference,
  ends: readonly CallSummary[],
): string {
  const lines = [headline(before, after, difference)];
  const { first } = difference;
  if (first !== undefined) {
    const sides = [
      [`call ${before.call}`, quoted(first.before)],
      [`call ${after.call}`, quoted(first.after)],
    ] as const;
    lines.push(fields(sides).trimEnd());
  }
  lines.push(...reasons(before, after, difference, ends).map((reason) => `- ${reason}`));
  return `${lines.join("\n")}\n`;
}

function headline(before: RebuiltView, after: RebuiltView, difference: ViewDifference): string {
  const { type, sharedMessages, first } = difference;
  const names = `call ${before.call} and call ${after.call}`;
  switch (type) {
    case "same":
      return `The messages of ${names} are the same, byte for byte.`;
    case "appended":
      return `Appended only: call ${after.call} begins with the ${counted(sharedMessages, "message")} of call ${before.call} and adds ${after.messages.length - sharedMessages}.`;
    case "shortened":
      return `Shortened only: call ${after.call} consists of the first ${counted(sharedMessages, "message")} of call ${before.call}, which has ${before.messages.length - sharedMessages} more.`;
    case "changed": {
      const at = first === undefined ? "" : `message ${first.message + 1}, byte ${first.byte}`;
      const offset = first?.offset ?? 0;
      return `The messages of ${names} differ first in ${at} of its JSON (byte ${offset} of all); ${counted(sharedMessages, "message")} before it ${sharedMessages === 1 ? "is" : "are"} the same.`;
    }
  }
}

function reasons(
  before: RebuiltView,
  after: RebuiltView,
  { first, versions, systemPrompts, type }: ViewDifference,
  ends: readonly CallSummary[],
): readonly string[] {
  const found: string[] = [];
  for (const origin of systemPrompts)
    found.push(`the ${origin} system prompt differs; it comes before all messages`);
  if (before.layout !== after.layout)
    found.push(`the layout changed from ${before.layout} to ${after.layout}`);
  for (const { call, epoch } of ends) {
    const left = epoch?.left.join(" ") ?? "";
    const what = left === "" ? "" : `; removed from the view: ${left}`;
    found.push(`an epoch ended before call ${call}: ${reasonText(epoch?.endedBy)}${what}`);
  }
  if (first?.entries !== undefined) {
    const from = entryText(first.entries.before);
    const to = entryText(first.entries.after);
    found.push(
      from === to
        ? `both messages come from the same place of the chat (${from}), but its content differs: the chat continued from an earlier point`
        : `the message changed from ${from} to ${to}`,
    );
  }
  for (const { handle, from, to } of versions)
    found.push(`${handle} is shown in version ${to} instead of version ${from}`);
  const layout = everyLayout().find(({ name }) => name === before.layout);
  if (type === "changed" && layout !== undefined && layout.epochOf === undefined)
    found.push(`the ${before.layout} layout builds the whole view again for every call`);
  return found;
}

function reasonText(reason: string | undefined): string {
  return reason === undefined ? "the reason is not recorded" : epochEndReason(reason);
}

function entryText({ what, place, how }: DescribedEntry): string {
  return [what, place === "" ? "" : `of ${place}`, how].filter((part) => part !== "").join(" ");
}

function quoted(text: string): string {
  return visible(`…${text}…`);
}

function differenceJson(
  before: RebuiltView,
  after: RebuiltView,
  { type, sharedMessages, first, versions, gone, added, systemPrompts }: ViewDifference,
  ends: readonly CallSummary[],
): Readonly<Record<string, unknown>> {
  return {
    calls: [before.call, after.call],
    type,
    shared_messages: sharedMessages,
    first: first ?? null,
    versions,
    gone,
    added,
    system_prompts: systemPrompts,
    epochs_ended: ends.map(({ call, epoch }) => ({
      before_call: call,
      ended_by: epoch?.endedBy ?? null,
      left: epoch?.left ?? [],
    })),
    verified: before.isVerified && after.isVerified,
  };
}
