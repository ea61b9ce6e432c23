import {
  defined,
  type DynamicReference,
  type JsonValue,
  messageOf,
  type StoredVersion,
} from "@self-context-manager/objects";
import { type ChatState, chatState } from "../chat/chat-body.ts";
import { type AssistantStep, isAssistantStep } from "../chat/turn.ts";
import { describeEntries } from "../view/describe-entries.ts";
import type { DescribedEntry } from "../view/describe-entries.ts";
import type { Layout } from "../view/layout.ts";
import { sentMessages, viewRecord } from "../view/view-object.ts";
import type { ViewEntry } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { CallSummary, ViewProblem } from "./rebuilt-view.ts";
import type { VersionReader } from "./version-reader.ts";

/** Returns the summary of a call from its view, without its messages. */
export function summaryOf(
  stored: StoredVersion,
  record: ViewRecord,
  layout: Layout | undefined,
  payloadHash: string | undefined,
): CallSummary {
  return {
    call: stored.version,
    at: stored.at,
    layout: record.layout,
    tokens: sentMessages(stored).tokens,
    ...epochIn(record, layout),
    ...defined({ payloadHash }),
  };
}

/** A recorded view with the layout that made it. */
export interface RecordedCall {
  readonly record: ViewRecord;
  /** The layout; undefined if the reader was not given it. */
  readonly layout: Layout | undefined;
  readonly entries: readonly DescribedEntry[];
}

/** Returns the record of a stored view. If the version contains none, reports a problem and returns undefined. */
export function recordIn(
  stored: StoredVersion,
  layouts: readonly Layout[],
  note: (problem: ViewProblem) => void,
  entryOf?: (row: JsonValue) => ViewEntry,
): RecordedCall | undefined {
  try {
    const record = viewRecord(stored, entryOf);
    const layout = layouts.find(({ name }) => name === record.layout);
    const entries = layout?.describe(record) ?? describeEntries(record.entries);
    sentMessages(stored);
    return { record, layout, entries };
  } catch (cause) {
    const { id } = stored.body;
    const { version } = stored;
    note({
      id,
      version,
      type: "changed",
      text: `version ${version} of object ${id} contains no view (${messageOf(cause)})`,
    });
    return undefined;
  }
}

/** Returns the chat of a stored version. If the version contains none, reports a problem and returns undefined. */
export function chatIn(
  chat: StoredVersion | undefined,
  note: (problem: ViewProblem) => void,
): ChatState | undefined {
  if (chat === undefined) return undefined;
  try {
    return chatState(chat.body, "");
  } catch (cause) {
    const { id } = chat.body;
    const text = `version ${chat.version} of object ${id} contains no chat (${messageOf(cause)})`;
    note({ id, version: chat.version, type: "changed", text });
    return undefined;
  }
}

/** Returns the model's answers in a chat. */
export function answersIn(chat: ChatState | undefined): readonly AssistantStep[] {
  return (chat?.turns ?? []).flatMap((turn) => turn.steps).filter(isAssistantStep);
}

function epochIn(record: ViewRecord, layout: Layout | undefined): Pick<CallSummary, "epoch"> {
  const place = layout?.epochOf?.(record);
  if (place === undefined) return {};
  const { number, calls, endedBy, left } = place;
  return { epoch: { number, call: calls, ...defined({ endedBy }), left } };
}

/**
 * Returns the hash of a call's payload. It is stored with the answer, in the chat as of the transaction of the next
 * call or right before it.
 */
export async function payloadOf(
  read: VersionReader,
  { body, version }: StoredVersion,
): Promise<string | undefined> {
  const next = (await read.version(body.id, { version: version + 1 })).stored;
  const { id } = body["chat_ref"] as DynamicReference;
  // The answer is stored before the next view or with it. A rewind can have removed it in the commit of the next view.
  const places =
    next === undefined ? [undefined] : [{ txId: next.at.tx_id }, { txId: next.at.tx_id - 1 }];
  for (const asOf of places) {
    const { stored } = await read.version(id, asOf);
    const answers = answersIn(chatIn(stored, () => {}));
    const answer = answers.findLast(({ view }) => view === version);
    if (answer !== undefined) return answer.payload_hash;
  }
  return undefined;
}
