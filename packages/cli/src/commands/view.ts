import type { ListedCall, RebuiltView, ViewHistory } from "@self-context-manager/core/inspect";
import { defined } from "@self-context-manager/objects";

import { UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { shortCount, shortTime } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { messageText, shownText } from "../format/message-text.ts";
import { visible } from "../format/terminal-text.ts";
import { fields, right, table } from "../format/table.ts";
import {
  callView,
  failUnverified,
  isForgotten,
  sessionNote,
  sessionViews,
} from "../session-views.ts";

export const viewCommand: Command = {
  name: "view",
  summary: "print the messages of a call, or list a session's calls",
  arguments: "SESSION [CALL]",
  argumentCount: { least: 1, most: 2 },
  options: {
    entries: { help: "print the source of each message instead of its text" },
    verify: { help: "without CALL: rebuild every call and show which are verified" },
    ...jsonOption,
  },
  notes: `${sessionNote} CALL counts from 1.
Everything is rebuilt from the store: the system prompts, and the messages in the form in which the
host got them. Every version that they contain is checked by its hashes, and the messages by the
hash that was stored before they were sent. Missing or damaged parts are reported, with exit code
1, and the rest is shown. With --json nothing is omitted or escaped.
Without CALL, the calls are listed from their view records, which is quick; with --verify each is
rebuilt and checked.`,
  async run(call) {
    const [session = "", number] = call.arguments;
    if (number === undefined && call.isSet("entries"))
      throw new UsageError("--entries needs a CALL");
    if (number !== undefined && call.isSet("verify"))
      throw new UsageError("--verify works without CALL; a single CALL is always verified");
    await using store = await call.openStore();
    const history = await sessionViews(store, call, session);
    if (number === undefined) {
      await listCalls(history, call);
      return;
    }
    const view = await callView(history, number);
    const isJson = call.isSet("json");
    if (call.isSet("entries"))
      await call.print(isJson ? jsonText(entriesJson(view)) : entriesText(view));
    else await call.print(isJson ? jsonText(viewJson(view)) : viewText(view));
    failUnverified([view], (text) => call.note(text));
  },
};

async function listCalls(history: ViewHistory, call: CommandCall): Promise<void> {
  const calls: Row[] = [];
  if (call.isSet("verify")) for await (const view of history.verify()) calls.push(rowOf(view));
  else for await (const listed of history.list()) calls.push(listed);
  const isJson = call.isSet("json");
  await call.print(isJson ? jsonText(calls.map(summaryJson)) : callsTable(calls));
  failUnverified(calls, (text) => call.note(text));
}

/** A listed call; `isVerified` is set only if the call was rebuilt. */
type Row = ListedCall & { readonly isVerified?: boolean };

/** Returns what a list shows of a rebuilt call. The call itself, with its messages and entries, is not kept. */
function rowOf(view: RebuiltView): Row {
  const { call, at, layout, tokens, epoch, payloadHash, isVerified, problems, messages } = view;
  const row = { call, at, layout, tokens, isVerified, problems, messages: messages.length };
  return { ...row, ...defined({ epoch, payloadHash }) };
}

function callsTable(calls: readonly Row[]): string {
  const isVerified = calls.some((row) => row.isVerified !== undefined);
  return table(
    [
      right("CALL"),
      "TIME",
      right("MESSAGES"),
      right("TOKENS"),
      "LAYOUT",
      right("EPOCH"),
      ...(isVerified ? ["VERIFIED"] : []),
      "WHY THE LAST EPOCH ENDED",
    ],
    calls.map((row) => [
      String(row.call),
      row.at.tx_time === "" ? "" : shortTime(row.at.tx_time),
      row.messages === undefined ? "" : String(row.messages),
      shortCount(row.tokens),
      row.layout,
      row.epoch === undefined ? "" : String(row.epoch.number),
      ...(isVerified ? [verifiedText(row)] : []),
      endText(row),
    ]),
  );
}

function verifiedText({
  isVerified = false,
  problems,
}: Pick<Row, "isVerified" | "problems">): string {
  if (!isVerified) return "NO";
  return problems.some(isForgotten) ? "in part" : "yes";
}

/** Why the previous epoch ended, at the first call of the next one. */
function endText({ epoch }: Row): string {
  if (epoch?.endedBy === undefined || epoch.call !== 1) return "";
  return epoch.left.length === 0
    ? epoch.endedBy
    : `${epoch.endedBy}: removed ${epoch.left.join(" ")}`;
}

function viewText(view: RebuiltView): string {
  const prompts = view.systemPrompts.map(
    ({ origin, text }) => `--- system (${visible(origin)})\n${shownText(text)}`,
  );
  const messages = view.messages.map((message, index) => messageText(message, index + 1));
  return [...prompts, ...messages].join("");
}

function entriesText(view: RebuiltView): string {
  const facts = fields([
    ["call", String(view.call)],
    ["time", view.at.tx_time],
    ["layout", view.layout],
    ["tokens", String(view.tokens)],
    ["verified", verifiedText(view).toLowerCase()],
    ...view.systemPrompts.map(
      ({ origin, id, version }) => [`system (${origin})`, `${id} v${version}`] as const,
    ),
    ...(view.payloadHash === undefined ? [] : [["payload", view.payloadHash] as const]),
  ]);
  const rows = table(
    [right("#"), "WHAT", "WHERE", "VERSIONS", right("TOKENS"), "HOW"],
    view.entries.map(({ what, place, versions, how, tokens }, index) => [
      String(index + 1),
      what,
      place,
      versions.map(({ handle, version }) => `${handle}@${version}`).join(" "),
      tokens === undefined ? "" : String(tokens),
      how,
    ]),
  );
  return `${facts}\n${rows}`;
}

function summaryJson(view: Row): Readonly<Record<string, unknown>> {
  return {
    call: view.call,
    tx_id: view.at.tx_id,
    tx_time: view.at.tx_time,
    layout: view.layout,
    token_count: view.tokens,
    message_count: view.messages ?? null,
    ...(view.epoch === undefined
      ? {}
      : {
          epoch: {
            number: view.epoch.number,
            call: view.epoch.call,
            ended_by: view.epoch.endedBy ?? null,
            left: view.epoch.left,
          },
        }),
    payload_hash: view.payloadHash ?? null,
    ...defined({ verified: view.isVerified }),
    problems: view.problems,
  };
}

function viewJson(view: RebuiltView): Readonly<Record<string, unknown>> {
  return {
    ...summaryJson(rowOf(view)),
    system_prompts: view.systemPrompts,
    messages: view.messages.map((message) => message ?? null),
  };
}

function entriesJson(view: RebuiltView): Readonly<Record<string, unknown>> {
  const entries = view.entries.map(({ what, place, versions, how, tokens }) => ({
    what,
    place,
    versions: versions.map(({ handle, version }) => ({
      id: view.ids.get(handle) ?? null,
      handle,
      version,
    })),
    how,
    token_count: tokens ?? null,
  }));
  return { ...summaryJson(rowOf(view)), entries };
}
