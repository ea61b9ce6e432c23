import {
  canonicalJson,
  metadataVersion,
  sealObject,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { Message, ReportedUsage } from "../chat/message.ts";
import type { TurnPosition } from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import { keyName, type KnownMessage } from "../host/message-identity.ts";
import type { FileRendering } from "../host/file-rendering.ts";
import type { ReadMessage } from "../host/read-list.ts";
import { applyPolicy } from "../state/apply-policy.ts";
import { learnUsage } from "../state/learn-usage.ts";
import {
  commitObjects,
  commitSession,
  joinPool,
  sealableChat,
  type SessionScope,
} from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import { addToChat, type NewMessage } from "./add-to-chat.ts";
import { isNamed } from "./known-keys.ts";
import { knownMessages } from "./known-messages.ts";
import { type ManagerSummary, skipForeignHandles } from "./foreign-handles.ts";
import { recognizeReads } from "./recognize-reads.ts";
import { reconcile, type Reconciliation } from "./reconcile.ts";
import { returnBehindSummary, returnTo, returnToAnother, rewindTo } from "./rewind.ts";
import { stageToolcalls, type WaitingResults } from "./stage-toolcalls.ts";
import { chooseObjectIds, type KnownToolcalls, moveTakenCalls } from "./toolcall-ids.ts";
import { arrivingTexts } from "./user-objects.ts";

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
  fileRendering: FileRendering | undefined,
  signals: HostSignals = {},
): Promise<IngestedList> {
  const { state } = scope;
  const identities = messages.map(({ identity }) => identity);
  const compare = (isRewound: boolean): Reconciliation =>
    reconcile({
      messages,
      identities,
      ...knownMessages(state),
      end: state.chat.end(),
      isOtherPrompt: ({ position }, one) => isOtherPrompt(scope, position, one.decode()),
      rewound: isRewound,
    });
  const result = compare(signals.rewound === true);
  const isRewound = await followHost(scope, result, signals, identities);
  const news = isRewound ? compare(false) : result;
  const unseen = news.unseen.map((one) => ({
    ...one,
    message: (messages[one.index] as ReadMessage).decode(),
  }));
  const firstAnswer = unseen.find(({ message }) => message.role === "assistant");
  if (signals.answerAt !== undefined && firstAnswer?.index !== signals.answerAt)
    state.sent.missAnswer();
  const toolcalls: KnownToolcalls = new Map();
  const objectIds = await chooseObjectIds(scope, unseen, toolcalls, fileRendering);
  const isFromOtherStore =
    state.chat.known.size === 0 &&
    (await skipForeignHandles(scope, {
      messages: unseen.map(({ message }) => message),
      summaries: signals.summaries?.() ?? [],
      known: toolcalls,
    }));
  await moveTakenCalls(scope, unseen, toolcalls, fileRendering);
  const recognized = await recognizeReads(
    scope,
    unseen.map(({ message }) => message),
    fileRendering,
  );
  const keptAfter = (index: number): TurnPosition | undefined =>
    state.chat.known.get(news.keys()[index + 1] ?? "")?.position;
  if (unseen.some(({ message }) => message.role === "assistant")) state.active.noteAnswer();
  const waiting = addToChat(scope, unseen, objectIds, keptAfter);
  const usage = firstUsage(unseen);
  const report: IngestReport = {
    type: isRewound ? "rewound" : result.type,
    added: unseen.length,
    ...(usage === undefined ? {} : { usage }),
    ...(isFromOtherStore ? { isFromOtherStore } : {}),
  };
  if (unseen.length > 0) learnUsage(state, usage);
  await stage(scope, isRewound, { waiting, known: toolcalls, recognized });
  const isPast =
    (result.type === "appended" && !isRewound) || (result.type === "replaced" && result.isShorter);
  if (!isPast) state.chat.setSequence(sequenceOf(state, identities, news.keys()));
  return { report, keys: news.keys };
}

/** Moves the session to the point that the host's list continues. Returns whether it was moved. */
async function followHost(
  scope: SessionScope,
  result: Reconciliation,
  { rewound }: HostSignals,
  identities: readonly MessageIdentity[],
): Promise<boolean> {
  if (result.type === "replaced") {
    if (await returnToAnother(scope, identities, rewound === true)) return true;
    return rewound === true && (await returnBehindSummary(scope, identities));
  }
  if (result.type === "appended") return rewound === true && (await returnTo(scope, identities));
  const { known } = scope.state.chat;
  const before = identities.every(isNamed) ? [] : result.keys().map((key) => known.get(key));
  await rewindTo(scope, result.to, identities.slice(0, result.newFrom), before);
  keepOrder(scope.state, before);
  return true;
}

/**
 * Keeps the order of a host's list after the chat was cut where the list ends. `before`: what each message of the list was
 * until then. Messages without ids and times are recognised by their order.
 */
function keepOrder(state: SessionState, before: readonly (KnownMessage | undefined)[]): void {
  const placed = new Map([...state.chat.known.values()].map((one) => [placedName(one), one]));
  const sequence: KnownMessage[] = [];
  for (const one of before) {
    const now = one === undefined ? undefined : placed.get(placedName(one));
    if (now === undefined) break;
    sequence.push(now);
  }
  if (sequence.length > 0) state.chat.setSequence(sequence);
}

function placedName({ identity, position }: KnownMessage): string {
  return `${position?.turn} ${position?.step} ${keyName(identity)}`;
}

/** Stages the writes of the session's next commit. A chat that tool results refer to is stored first. */
async function stage(
  scope: SessionScope,
  isRewound: boolean,
  results: WaitingResults,
): Promise<void> {
  const hasResults = results.waiting.length > 0;
  const { isChanged } = scope.state.chat;
  // The same list again is a repeated request or a resume, and gets the same view.
  const texts = await arrivingTexts(scope);
  if (!hasResults) {
    texts.stage();
    if (isChanged) applyPolicy(scope);
  }
  // The view shows lines of the newest chat version.
  const isShown = scope.state.pool.has(scope.state.chat.id);
  if (isChanged && (hasResults || isShown)) {
    // A rewound chat and its sets must be stored in one commit: the stored sets still belong to the abandoned branch.
    const commit = isRewound || !hasResults ? commitSession : commitObjects;
    const isFollowed = results.waiting.some(({ objectId }) => !results.known.has(objectId));
    const [chat] = await commit(scope, [sealableChat(scope)], { isFollowed });
    if (chat !== undefined) keepChat(scope, chat);
  } else if (isChanged) stageChat(scope);
  if (hasResults) await stageToolcalls(scope, results, texts);
}

function stageChat(scope: SessionScope): void {
  const { body, expect } = sealableChat(scope);
  scope.staged.push({
    writes: [{ object: sealObject(body), expect }],
    settle: ([chat]) => {
      if (chat !== undefined) keepChat(scope, chat);
    },
  });
}

/**
 * Keeps the stored chat as the latest version. Shown lines of the chat are taken from this version, as after a resume.
 */
function keepChat({ state, contents }: SessionScope, chat: StoredVersion): void {
  state.chat.keep(chat);
  if (!state.pool.has(chat.body.id)) return;
  joinPool(state, metadataVersion(chat));
  if (state.active.has(chat.body.id)) contents.set(chat.body.id, chat);
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
function sequenceOf(
  { chat: { known } }: SessionState,
  identities: readonly MessageIdentity[],
  keys: readonly string[],
): KnownMessage[] {
  return identities.flatMap((identity, index) => {
    const one = known.get(keys[index] ?? "");
    return one === undefined ? [] : [{ ...one, identity }];
  });
}

function firstUsage(unseen: readonly NewMessage[]): ReportedUsage | undefined {
  const answer = unseen.map(({ message }) => message).find(({ role }) => role === "assistant");
  return answer?.role === "assistant" ? answer.usage : undefined;
}
