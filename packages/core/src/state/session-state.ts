import {
  type JsonObject,
  type LineRange,
  type ObjectId,
  type StaticReference,
  staticReference,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { argumentsOf, providerId } from "../calls/toolcall-object.ts";
import type { ChatState } from "../chat/chat-document.ts";
import { isToolCall } from "../chat/message.ts";
import { isAssistantStep, type TurnPosition } from "../chat/turn.ts";
import { type Calibration, uncalibrated, type UsagePoint } from "../cost/calibrated-estimator.ts";
import type { CostAccount } from "../cost/cost-account.ts";
import {
  compactionIdentity,
  type KnownMessage,
  messageIdentity,
  uniqueKey,
} from "../host/message-identity.ts";
import type { CallTime, UseKey } from "../policy/activation-policy.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import type { SentView } from "../view/view-object.ts";

/** How an object is active. */
export interface Activation {
  /** When it last arrived, was read or was activated. */
  readonly used: CallTime;
  /** Somebody asked for it: it is not trimmed. */
  readonly asked?: true;
  /** The lines that are shown; undefined for all. */
  readonly range?: LineRange;
}

/** A tool call that has no result so far. */
export interface OpenCall {
  readonly objectId: ObjectId;
  readonly args: JsonObject;
  readonly position: TurnPosition & { readonly call: number };
}

/** What the next call goes on from is not the latest view, as long as that is still the one of then. */
export type ViewBranch = {
  /** The view that counts, by its call; 0 for none. */
  readonly from: number;
  /** The latest view at that time. */
  readonly latest: number;
};

/** Everything that a session knows while it runs; the session and chat objects are its stored form. */
export interface SessionState {
  readonly id: ObjectId;
  readonly harness: string;
  readonly hostSessionId: string;
  /** The latest version of the session object; 0 before the first. */
  version: number;
  chat: ChatState;
  /** The latest stored version of the chat. */
  chatStored: StoredMetadata | undefined;
  /** In the order of joining. */
  readonly pool: Map<ObjectId, PoolEntry>;
  /** Counts the changes of entries that the pool had already. */
  poolRevision: number;
  readonly handles: Map<string, ObjectId>;
  readonly handleCounts: Map<string, number>;
  /** In the order of activation. */
  readonly active: Map<ObjectId, Activation>;
  /** Files whose entry is new or newer than what was told to the tracker of files. */
  readonly untracked: Set<ObjectId>;
  readonly pinned: Set<ObjectId>;
  /** What was used last, the newest last: a short list, for the policy. */
  readonly recent: UseKey[];
  /** What holds a file, by path; undefined until it is needed. */
  paths: Map<string, PathHolders> | undefined;
  /** What the last call saw. */
  view: SentView | undefined;
  /** Where the user went back to an earlier view, until the next call makes one. */
  viewBranch: ViewBranch | undefined;
  /** The session's view object, once there is one. */
  viewId: ObjectId | undefined;
  /** Provider ids of our tools' calls whose effect is stored and whose result has not come in yet. */
  readonly pendingCalls: Set<string>;
  readonly systemPrompts: Map<string, ObjectId>;
  /** Their latest versions, as far as they are known. */
  readonly promptVersions: Map<ObjectId, StaticReference>;
  readonly openCalls: Map<string, OpenCall>;
  /** The object ids that the chat's calls have, those without a result included. */
  readonly placedCalls: Set<ObjectId>;
  readonly callsInTurn: Map<number, number>;
  sequence: readonly KnownMessage[];
  readonly known: Map<string, KnownMessage>;
  calibration: Calibration;
  /** What the calibration is fitted to, the newest last. */
  usage: readonly UsagePoint[];
  /** The model that reported these, as `provider/id`; undefined where the host does not say. */
  usageModel: string | undefined;
  /** What the session's calls have cost so far; undefined where no layout has told. */
  account: CostAccount | undefined;
  /** The estimate of the view that was sent last and has no answer so far; else 0. */
  sentTokens: number;
  lastTransaction: number;
  /** Whether the stored session object is behind. */
  changed: boolean;
}

/** The state of a session that is new. */
export function newSessionState(
  ids: { readonly session: ObjectId; readonly chat: ObjectId },
  host: { readonly harness: string; readonly sessionId: string },
): SessionState {
  return {
    id: ids.session,
    harness: host.harness,
    hostSessionId: host.sessionId,
    version: 0,
    chat: {
      id: ids.chat,
      sessionId: ids.session,
      hostSessionId: host.sessionId,
      turns: [],
      toolcallRefs: [],
    },
    chatStored: undefined,
    pool: new Map(),
    poolRevision: 0,
    handles: new Map(),
    handleCounts: new Map(),
    active: new Map(),
    untracked: new Set(),
    pinned: new Set(),
    recent: [],
    paths: undefined,
    view: undefined,
    viewBranch: undefined,
    viewId: undefined,
    pendingCalls: new Set(),
    systemPrompts: new Map(),
    promptVersions: new Map(),
    openCalls: new Map(),
    placedCalls: new Set(),
    callsInTurn: new Map(),
    sequence: [],
    known: new Map(),
    calibration: uncalibrated,
    usage: [],
    usageModel: undefined,
    account: undefined,
    sentTokens: 0,
    lastTransaction: 0,
    changed: true,
  };
}

/** Puts another chat in place and recomputes everything that follows from it. */
export function replaceChat(state: SessionState, chat: ChatState): void {
  state.known.clear();
  state.openCalls.clear();
  state.placedCalls.clear();
  state.callsInTurn.clear();
  state.paths = undefined;
  const named = new Set(chat.toolcallRefs.map((reference) => reference.id));
  const missing = [];
  const sequence: KnownMessage[] = [];
  const add = (known: Omit<KnownMessage, "key">): void => {
    const entry = { ...known, key: uniqueKey(state.known, known) };
    state.known.set(entry.key, entry);
    sequence.push(entry);
  };
  if (chat.compaction !== undefined) {
    const summary = { identity: compactionIdentity(chat.compaction), position: undefined };
    const key = uniqueKey(state.known, summary);
    state.known.set(key, { ...summary, key, summaryEnd: chat.compaction.from });
  }
  for (const [turnIndex, turn] of chat.turns.entries()) {
    if (turn.user !== null) {
      add({
        identity: messageIdentity("user", turn.timestamp, turn.key),
        position: { turn: turnIndex, step: -1 },
      });
    }
    for (const [stepIndex, step] of turn.steps.entries()) {
      const position = { turn: turnIndex, step: stepIndex };
      if (!isAssistantStep(step)) {
        add({ identity: messageIdentity(step.kind, step.timestamp, step.key), position });
        continue;
      }
      const time = step.assistant_meta["timestamp"];
      add({
        identity: messageIdentity("assistant", typeof time === "number" ? time : null, step.key),
        position,
      });
      const calls = step.assistant.filter(isToolCall);
      for (const [callIndex, id] of step.toolcall_ids.entries()) {
        state.placedCalls.add(id);
        const call = calls[callIndex];
        const entry = state.pool.get(id);
        if (entry === undefined) {
          if (call === undefined) continue;
          const open = {
            objectId: id,
            args: argumentsOf(call.arguments),
            position: { ...position, call: callIndex },
          };
          state.openCalls.set(call.id, open);
          continue;
        }
        const { body } = entry.stored;
        if (!named.has(id)) missing.push(staticReference(entry.stored));
        countToolcall(state, turnIndex, body["context_tool"] === true);
        const resultTime = body["timestamp"];
        const result = messageIdentity(
          "toolResult",
          typeof resultTime === "number" ? resultTime : null,
          entry.row.key,
        );
        add({ identity: { ...result, callId: providerId(body) }, position });
      }
    }
  }
  state.chat = { ...chat, toolcallRefs: [...chat.toolcallRefs, ...missing] };
  knowOrphans(state);
  state.sequence = sequence;
}

/** Results whose calls the chat never had are known all the same; they stand nowhere in it. */
function knowOrphans(state: SessionState): void {
  for (const { id, stored, row } of state.pool.values()) {
    const { body } = stored;
    if (body.type !== "toolcall" || state.placedCalls.has(id)) continue;
    const time = body["timestamp"];
    const result = messageIdentity("toolResult", typeof time === "number" ? time : null, row.key);
    const known = { identity: { ...result, callId: providerId(body) }, position: undefined };
    const key = uniqueKey(state.known, known);
    state.known.set(key, { ...known, key });
  }
}

/** Counts a tool call of a turn unless it is one of the context tools' own (decision D37). */
export function countToolcall(state: SessionState, turn: number, isContextTool: boolean): void {
  if (!isContextTool) state.callsInTurn.set(turn, (state.callsInTurn.get(turn) ?? 0) + 1);
}

/** The time of something that happens now, in the current turn. */
export function currentCallTime(state: SessionState): CallTime {
  const turn = Math.max(0, state.chat.turns.length - 1);
  return { turn, call: state.callsInTurn.get(turn) ?? 0 };
}

/** What is known by the name of a file: the newest object, and the newest that shows its text. */
export interface PathHolders {
  newest: UseKey;
  read?: UseKey;
}
