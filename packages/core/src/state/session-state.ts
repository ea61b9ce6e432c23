import {
  type JsonObject,
  type LineRange,
  type ObjectId,
  type StaticReference,
  staticReference,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { argumentsOf, filesLoaded, providerId } from "../calls/toolcall-object.ts";
import { type ChatState, withReferences } from "../chat/chat-document.ts";
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

/** The activation of an object. */
export interface Activation {
  /** The time at which the object last arrived, was read or was activated. */
  readonly used: CallTime;
  /** The model or the user asked for the object, so it is not trimmed. */
  readonly asked?: true;
  /** The version of a file that is shown; undefined: the newest. */
  readonly version?: number;
  /** The lines that are shown, in order and without an overlap; undefined if all are. */
  readonly ranges?: readonly LineRange[];
}

/**
 * The text of a file that the model got from a tool of the host, or wrote itself: a content by its hash, and its lines;
 * without ranges, all of them.
 */
export type HostShown = ShownText & {
  /** The contents that it had before, the newest last. */
  readonly earlier?: readonly ShownText[];
};

export type ShownText = {
  readonly content_hash: string;
  readonly ranges?: readonly LineRange[];
};

/** What is known of the largest prompt that a model accepts, since its provider refused one. */
export type PromptLimit = {
  /** The provider's tokens of a whole prompt, as its error named them. */
  readonly tokens?: number;
  /** The raw estimate of the messages. It is below that of the refused ones. */
  readonly estimated?: number;
};

/** A tool call whose result has not arrived. */
export interface OpenCall {
  readonly objectId: ObjectId;
  readonly args: JsonObject;
  readonly position: TurnPosition & { readonly call: number };
}

/**
 * Set by a rewind: the next call continues from the view of call `from`, as long as `latest` is still the newest view.
 */
export type ViewBranch = {
  /** The call of the view that the next call continues; 0 if it continues none. */
  readonly from: number;
  /** The newest view at the time of the rewind. */
  readonly latest: number;
};

/** The complete state of a running session. The session and chat objects are its stored form. */
export interface SessionState {
  readonly id: ObjectId;
  readonly harness: string;
  readonly hostSessionId: string;
  /** The latest version of the session object; 0 before the first commit. */
  version: number;
  chat: ChatState;
  /** The latest stored version of the chat. */
  chatStored: StoredMetadata | undefined;
  /** The known objects, in the order in which they joined. */
  readonly pool: Map<ObjectId, PoolEntry>;
  /** The number of changes to entries that the pool had already. */
  poolRevision: number;
  readonly handles: Map<string, ObjectId>;
  readonly handleCounts: Map<string, number>;
  /** The active objects, in the order of activation. */
  readonly active: Map<ObjectId, Activation>;
  /**
   * The objects that became active after the last view was sent, because a result arrived or somebody asked for them. The
   * policy keeps them until the model has got them.
   */
  readonly unsent: Map<ObjectId, "arrived" | "asked">;
  /** The texts of files that the model got, by object. */
  readonly hostShown: Map<ObjectId, HostShown>;
  /** Files whose entry is new, or newer than the version that the tracker has. */
  readonly untracked: Set<ObjectId>;
  readonly pinned: Set<ObjectId>;
  /** The order of use for the policy, the newest last. It is a short list. */
  readonly recent: UseKey[];
  /** The objects that contain the text of a file, by path; undefined until they are needed. */
  paths: Map<string, PathHolders> | undefined;
  /** The view of the last call. */
  view: SentView | undefined;
  /** The earlier view that the next call continues after a rewind; undefined otherwise. */
  viewBranch: ViewBranch | undefined;
  /** The id of the session's view object; undefined before the first call. */
  viewId: ObjectId | undefined;
  /** Provider ids of context tool calls whose effect is stored and whose result has not arrived. */
  readonly pendingCalls: Set<string>;
  readonly systemPrompts: Map<string, ObjectId>;
  /** The latest versions of the system prompts, if they are known. */
  readonly promptVersions: Map<ObjectId, StaticReference>;
  readonly openCalls: Map<string, OpenCall>;
  /** The object ids of all tool calls in the chat, including those without a result. */
  readonly placedCalls: Set<ObjectId>;
  readonly callsInTurn: Map<number, number>;
  sequence: readonly KnownMessage[];
  readonly known: Map<string, KnownMessage>;
  calibration: Calibration;
  /** The measurements to which the calibration is fitted, the newest last. */
  usage: readonly UsagePoint[];
  /** The model that reported these measurements, as `provider/id`; undefined if the host does not name it. */
  usageModel: string | undefined;
  /** The limits of models whose provider refused a prompt, by the model as `provider/id`. */
  readonly promptLimits: Map<string, PromptLimit>;
  /** The messages of the chat that an extension leaves out of its requests, as rows of `LeftOut`. */
  leftOut: readonly string[];
  /** Whether an extension has left messages out before the session knew them. */
  hasUnknown: boolean;
  /** The cost of the session's calls so far; undefined if no layout has reported figures. */
  account: CostAccount | undefined;
  /** The estimated tokens of the view that was sent last, if it has no answer yet; otherwise 0. */
  sentTokens: number;
  lastTransaction: number;
  /** Whether the stored session object is out of date. */
  changed: boolean;
}

/** Returns the state of a new session. */
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
      loadedRefs: [],
    },
    chatStored: undefined,
    pool: new Map(),
    poolRevision: 0,
    handles: new Map(),
    handleCounts: new Map(),
    active: new Map(),
    unsent: new Map(),
    hostShown: new Map(),
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
    promptLimits: new Map(),
    leftOut: [],
    hasUnknown: false,
    account: undefined,
    sentTokens: 0,
    lastTransaction: 0,
    changed: true,
  };
}

/** Replaces the chat and computes everything again that depends on it. */
export function replaceChat(state: SessionState, chat: ChatState): void {
  state.known.clear();
  state.openCalls.clear();
  state.placedCalls.clear();
  state.callsInTurn.clear();
  state.paths = undefined;
  const named = new Set(chat.toolcallRefs.map((reference) => reference.id));
  const missing = [];
  const loaded: StaticReference[] = [];
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
        loaded.push(...filesLoaded(body));
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
  state.chat = {
    ...chat,
    toolcallRefs: [...chat.toolcallRefs, ...missing],
    loadedRefs: withReferences([], loaded),
  };
  knowOrphans(state);
  state.sequence = sequence;
}

/** Adds results without a call in the chat to the known messages. They have no place in the chat. */
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

/** Counts a tool call of a turn, unless it is a call of a context tool (decision D37). */
export function countToolcall(state: SessionState, turn: number, isContextTool: boolean): void {
  if (!isContextTool) state.callsInTurn.set(turn, (state.callsInTurn.get(turn) ?? 0) + 1);
}

/** Returns the call time of an event that happens now, in the current turn. */
export function currentCallTime(state: SessionState): CallTime {
  const turn = Math.max(0, state.chat.turns.length - 1);
  return { turn, call: state.callsInTurn.get(turn) ?? 0 };
}

/** The objects of a path: the newest object that names the file, and the newest one that shows its text. */
export interface PathHolders {
  newest: UseKey;
  read?: UseKey;
}
