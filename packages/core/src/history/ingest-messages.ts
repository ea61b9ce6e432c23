import { canonicalJson, defined } from "@self-context-manager/objects";
import type { Message, ReportedUsage } from "../chat/message.ts";
import type { TurnPosition } from "../chat/turn.ts";
import type { KnownMessage } from "../host/message-identity.ts";
import type { ReadList, ReadMessage } from "../host/read-list.ts";
import { learnUsage } from "../state/learn-usage.ts";
import { freeSummarised } from "../state/free-replaced.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import { adoptArchive } from "./adopt-archive.ts";
import { addToChat, type NewMessage } from "./add-to-chat.ts";
import { type ManagerSummary, skipForeignHandles } from "./foreign-handles.ts";
import { knownMessages } from "./known-messages.ts";
import { type RecognisedList, recogniseList } from "./recognise-list.ts";
import { pairCalls } from "./paired-calls.ts";
import { recognizeReads } from "./recognize-reads.ts";
import { reconcile, type Reconciliation } from "./reconcile.ts";
import { replacedBeginning } from "./replaced-beginning.ts";
import { moveTo } from "./rewind.ts";
import { rewindTarget } from "./rewind-target.ts";
import { stageIngested } from "./stage-ingested.ts";
import { chooseObjectIds, type KnownToolcalls, moveTakenCalls } from "./toolcall-ids.ts";

/** Information that the host gives in addition to its messages. */
export interface HostSignals {
  /** Whether the user went back to an earlier point, in the tree or by a fork. */
  readonly rewound?: boolean;
  /**
   * The index of the message that answers the last view, for a host that has sent requests without a view since; -1 if the
   * list does not have it. Default: the first new answer of the list.
   */
  readonly answerAt?: number;
  /**
   * Returns the summaries by the context manager whose messages the list contains again, and which are not in the list.
   * It is called only while the session knows no message.
   */
  readonly summaries?: () => readonly ManagerSummary[];
}

/** The result of an ingest. */
export interface IngestReport {
  readonly type: "appended" | "replaced" | "rewound";
  /** The number of new messages. */
  readonly added: number;
  /** The usage that the first new assistant message reports. That message is the answer to the last sent view. */
  readonly usage?: ReportedUsage;
  /** Whether the session is new to this store, and its history certainly began on another store. */
  readonly isFromOtherStore?: boolean;
}

/** A list that was ingested. */
export interface IngestedList {
  readonly report: IngestReport;
  /** Returns the key of each message of the list. */
  readonly keys: () => readonly string[];
}

/**
 * Ingests a host's messages. Messages are recognised by their keys, so only new ones are decoded and stored. The caller
 * commits the session; the writes that belong to it are staged.
 */
export async function ingestMessages(
  scope: SessionScope,
  messages: readonly ReadMessage[],
  { fileRendering, marksSummaries }: Omit<ReadList, "messages">,
  signals: HostSignals = {},
): Promise<IngestedList> {
  const { state } = scope;
  const isReported = signals.rewound === true;
  const first = compare(scope, messages, isReported);
  const { relation } = first;
  const target = await rewindTarget(scope, first.list, { isReported, relation });
  const isRewound = target !== undefined;
  if (isRewound) await moveTo(scope, target);
  const { list, relation: present } = isRewound ? compare(scope, messages, false) : first;
  const unknown = new Set(present.unseen.map(({ index }) => index));
  const isFollowed = marksSummaries !== true && present.type === "replaced" && !isRewound;
  const replaced = isFollowed ? replacedBeginning(list, (index) => unknown.has(index)) : undefined;
  const unseen = present.unseen.map(({ index, key, read }): NewMessage => ({
    index,
    key,
    identity: read.identity,
    message: read.decode(),
  }));
  const said = unseen.map(({ message }) => message);
  const toolcalls: KnownToolcalls = new Map();
  const paired = pairCalls(state.chat, messages, {
    list,
    unseen: new Map(unseen.map(({ index, message }) => [index, message])),
  });
  const objectIds = await chooseObjectIds(scope, said, { paired, known: toolcalls, fileRendering });
  const isFirst = state.chat.known.size === 0;
  const isFromOtherStore =
    isFirst &&
    (await skipForeignHandles(scope, {
      messages: said,
      summaries: signals.summaries?.() ?? [],
      known: toolcalls,
    }));
  await moveTakenCalls(scope, { paired, known: toolcalls, fileRendering });
  const recognized = await recognizeReads(scope, said, paired, fileRendering);
  const begun = replaced?.count ?? 0;
  const answer = unseen.find(
    ({ index, message }) => index >= begun && message.role === "assistant",
  );
  if (signals.answerAt !== undefined && answer?.index !== signals.answerAt) state.sent.missAnswer();
  if (answer !== undefined) state.active.noteAnswer();
  const keptAfter = (index: number): TurnPosition | undefined =>
    state.chat.known.get(list.keys()[index + 1] ?? "")?.position;
  if (replaced !== undefined) {
    state.chat.summarise(replaced.messages, replaced.kept);
    freeSummarised(scope);
  }
  const waiting = addToChat(scope, unseen, { objectIds, paired, begun }, keptAfter);
  const isArchived = isFirst && (await adoptArchive(scope, toolcalls));
  const answered = answer?.message.role === "assistant" ? answer.message : undefined;
  const usage = answered?.usage;
  await stageIngested(scope, isRewound, { waiting, known: toolcalls, recognized });
  if (unseen.length > 0) learnUsage(state, answered, scope.dependencies.toolFacts);
  if (isArchived) freeSummarised(scope);
  const { type } = relation;
  const isPast = !isRewound && (type === "appended" || (type === "replaced" && relation.isShorter));
  if (!isPast) state.chat.setSequence(sequenceOf(state, list));
  return {
    report: {
      type: isRewound ? "rewound" : type,
      added: unknown.size,
      ...defined({ usage }),
      ...(isFromOtherStore ? { isFromOtherStore } : {}),
    },
    keys: list.keys,
  };
}

/** Compares a host's list with what the session knows now. */
function compare(
  scope: SessionScope,
  messages: readonly ReadMessage[],
  rewound: boolean,
): { readonly list: RecognisedList; readonly relation: Reconciliation } {
  const { state } = scope;
  const list = recogniseList(messages, knownMessages(state), {
    rewound,
    isOtherPrompt: ({ position }, one) => isOtherPrompt(scope, position, one.decode()),
  });
  return { list, relation: reconcile(list, { end: state.chat.end(), rewound }) };
}

function isOtherPrompt(
  { state }: SessionScope,
  position: TurnPosition | undefined,
  message: Message,
): boolean {
  const user = position?.step === -1 ? state.chat.turns[position.turn]?.user : undefined;
  if (user === undefined || user === null || message.role !== "user") return false;
  return canonicalJson(user) !== canonicalJson(message.content);
}

/** Returns the host's sequence as known messages, for the next comparison. */
function sequenceOf({ chat }: SessionState, { messages, keys }: RecognisedList): KnownMessage[] {
  const found = keys().map((key) => chat.known.get(key));
  return messages.flatMap(({ identity }, index) => {
    const one = found[index];
    return one === undefined ? [] : [{ ...one, identity }];
  });
}
