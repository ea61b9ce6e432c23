import { argumentsOf } from "../chat/message.ts";
import {
  continued,
  defined,
  type JsonObject,
  metadataVersion,
  type ObjectId,
  staticReference,
  type StaticReference,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { filesLoaded, providerId } from "../calls/toolcall-object.ts";
import {
  type ChatState,
  type Compaction,
  shownBeginning,
  withReferences,
  withStep,
  withToolcallId,
  withTurn,
} from "../chat/chat-body.ts";
import {
  afterEnd,
  type AssistantStep,
  callsOf,
  isAssistantStep,
  isDiscarded,
  sentIdsOf,
  type Step,
  type Turn,
  type TurnPosition,
} from "../chat/turn.ts";
import {
  keyName,
  type KnownMessage,
  messageIdentity,
  replacingIdentity,
  uniqueKey,
} from "../host/message-identity.ts";
import type { CallTime } from "../policy/activation-policy.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/** A tool call whose result has not arrived. */
export interface OpenCall {
  /** The provider's id, which the result names. */
  readonly hostId: string;
  readonly objectId: ObjectId;
  readonly args: JsonObject;
  readonly position: TurnPosition & { readonly call: number };
}

/** The chat of a session, and what is computed from it to recognise the messages of the host. */
export interface ChatIndex {
  readonly state: ChatState;
  readonly id: ObjectId;
  readonly turns: readonly Turn[];
  readonly compaction: Compaction | undefined;
  /** What replaces the beginning of the chat in views. */
  readonly beginning: Compaction | undefined;
  /** The latest stored version of the chat; undefined before the first commit. */
  readonly stored: StoredMetadata | undefined;
  /** Whether the stored chat lacks messages, or has others. References to tool calls wait for the next message. */
  readonly isChanged: boolean;
  /** All messages of the chat by key, including those that the host no longer sends. */
  readonly known: ReadonlyMap<string, KnownMessage>;
  /** The host's list as it was last ingested. */
  readonly sequence: readonly KnownMessage[];
  /** The calls without a result, by the ids under which they are sent. */
  readonly openCalls: ReadonlyMap<string, OpenCall>;
  /** The object ids of all tool calls in the chat, including those without a result. */
  readonly placedCalls: ReadonlySet<ObjectId>;
  /** The ids under which the calls of the chat are sent. Failed answers are not sent. */
  readonly sentIds: ReadonlySet<string>;
  /** Returns the number of tool calls of a turn that count as time for a policy (decision D37). */
  callsIn(turn: number): number;
  /** Returns the call time of an event that happens now, in the current turn. */
  now(): CallTime;
  /** Returns the position of the last message. */
  end(): TurnPosition;
  addTurn(turn: Turn): void;
  addStep(step: Step): void;
  openCall(id: string, call: OpenCall): void;
  closeCall(id: string): void;
  /** Gives an open call another object. */
  moveCall(id: string, objectId: ObjectId): void;
  /** Counts a tool call of a turn, unless it is a call of a context tool (decision D37). */
  countCall(turn: number, isContextTool: boolean): void;
  /** Replaces the chat before `kept`, or the whole chat, by messages (decision D53). */
  summarise(messages: Compaction["messages"], kept: TurnPosition | undefined): void;
  /** Sets the lines of the archived chats, and the place up to which the chat is archived. */
  archive(archive: Compaction): void;
  /**
   * Adds references to tool calls and to the files that they loaded to the next version of the chat. A tool call itself
   * refers to the present version, so that no hash depends on itself (decision D35).
   */
  nameCalls(calls: readonly StoredMetadata[]): void;
  /** Adds a reference to the object of a long text of the user to the next version of the chat. */
  nameUserObject(object: StoredMetadata): void;
  /** Adds a message to the known ones and to the end of the host's list. */
  know(message: KnownMessage): void;
  /** Sets the host's list. The caller no longer changes it. */
  setSequence(sequence: KnownMessage[]): void;
  /** Replaces the turns only. */
  setTurns(turns: readonly Turn[]): void;
  /** Replaces the chat and computes everything again that depends on it, with the results in a pool. */
  replace(state: ChatState, results: ReadonlyMap<ObjectId, PoolEntry>): void;
  /** Notes that the chat is stored as it is now. */
  keep(stored: StoredVersion): void;
}

/** Returns the index of a new chat. */
export function chatIndex(ids: {
  readonly chat: ObjectId;
  readonly session: ObjectId;
  readonly hostSession: string;
}): ChatIndex {
  let state: ChatState = {
    id: ids.chat,
    sessionId: ids.session,
    hostSessionId: ids.hostSession,
    turns: [],
    toolcallRefs: [],
    loadedRefs: [],
    userRefs: [],
  };
  let stored: StoredMetadata | undefined;
  let isChanged = true;
  let sequence: KnownMessage[] = [];
  const known = new Map<string, KnownMessage>();
  const openCalls = new Map<string, OpenCall>();
  const placedCalls = new Set<ObjectId>();
  const sentIds = new Set<string>();
  const callCounts = new Map<number, number>();

  function change(changed: Partial<ChatState>): void {
    state = { ...state, ...changed };
    isChanged = true;
  }

  function callsIn(turn: number): number {
    return callCounts.get(turn) ?? 0;
  }

  function countCall(turn: number, isContextTool: boolean): void {
    if (!isContextTool) callCounts.set(turn, callsIn(turn) + 1);
  }

  /** Knows a message that is read from a stored chat. Its key is made unique again. */
  function knowStored(message: Omit<KnownMessage, "key">): KnownMessage {
    const entry = { ...message, key: uniqueKey(known, keyName(message.identity)) };
    known.set(entry.key, entry);
    return entry;
  }

  function noteSent(step: AssistantStep): void {
    if (!isDiscarded(step)) for (const id of sentIdsOf(step)) sentIds.add(id);
  }

  function replace(next: ChatState, results: ReadonlyMap<ObjectId, PoolEntry>): void {
    known.clear();
    openCalls.clear();
    placedCalls.clear();
    sentIds.clear();
    callCounts.clear();
    sequence = [];
    for (const one of next.compaction?.messages ?? []) {
      const summary = knowStored({ identity: replacingIdentity(one), position: undefined });
      known.set(summary.key, { ...summary, ...defined({ summaryEnd: next.compaction?.from }) });
    }
    for (const [turn, one] of next.turns.entries()) {
      if (one.user !== null) {
        const identity = messageIdentity("user", one.timestamp, one.key);
        sequence.push(knowStored({ identity, position: { turn, step: -1 } }));
      }
      for (const [step, made] of one.steps.entries()) indexStep(made, { turn, step }, results);
    }
    state = withReferencesTo(next, placedCalls, results);
    isChanged = true;
    knowOrphans(results);
  }

  function indexStep(
    made: Step,
    position: TurnPosition,
    results: ReadonlyMap<ObjectId, PoolEntry>,
  ): void {
    if (!isAssistantStep(made)) {
      const identity = messageIdentity(made.kind, made.timestamp, made.key);
      sequence.push(knowStored({ identity, position }));
      return;
    }
    const time = timeIn(made.assistant_meta["timestamp"]);
    sequence.push(knowStored({ identity: messageIdentity("assistant", time, made.key), position }));
    const calls = callsOf(made);
    const sent = sentIdsOf(made);
    noteSent(made);
    for (const [index, id] of made.toolcall_ids.entries()) {
      placedCalls.add(id);
      const call = calls[index];
      const entry = results.get(id);
      if (entry === undefined) {
        if (call === undefined) continue;
        const args = argumentsOf(call.arguments);
        const place = { ...position, call: index };
        openCalls.set(sent[index] ?? call.id, {
          hostId: call.id,
          objectId: id,
          args,
          position: place,
        });
        continue;
      }
      countCall(position.turn, entry.stored.body["context_tool"] === true);
      sequence.push(knowStored({ identity: identityOfResult(entry), position }));
    }
  }

  /** Adds results without a call in the chat to the known messages. They have no place in the chat. */
  function knowOrphans(results: ReadonlyMap<ObjectId, PoolEntry>): void {
    for (const entry of results.values()) {
      if (entry.stored.body.type !== "toolcall" || placedCalls.has(entry.id)) continue;
      knowStored({ identity: identityOfResult(entry), position: undefined });
    }
  }

  return {
    get state() {
      return state;
    },
    get id() {
      return state.id;
    },
    get turns() {
      return state.turns;
    },
    get compaction() {
      return state.compaction;
    },
    get beginning() {
      return shownBeginning(state);
    },
    get stored() {
      return stored;
    },
    get isChanged() {
      return isChanged;
    },
    get sequence() {
      return sequence;
    },
    known,
    openCalls,
    placedCalls,
    sentIds,
    callsIn,
    now() {
      const turn = Math.max(0, state.turns.length - 1);
      return { turn, call: callsIn(turn) };
    },
    end() {
      const { turns } = state;
      return { turn: Math.max(0, turns.length - 1), step: (turns.at(-1)?.steps.length ?? 0) - 1 };
    },
    addTurn(turn) {
      change({ turns: withTurn(state.turns, turn) });
    },
    addStep(step) {
      if (isAssistantStep(step)) {
        for (const id of step.toolcall_ids) placedCalls.add(id);
        noteSent(step);
      }
      change({ turns: withStep(state.turns, step) });
    },
    openCall(id, call) {
      openCalls.set(id, call);
    },
    closeCall: (id) => void openCalls.delete(id),
    moveCall(id, objectId) {
      const call = openCalls.get(id);
      if (call === undefined) return;
      change({ turns: withToolcallId(state.turns, call.position, objectId) });
      placedCalls.delete(call.objectId);
      placedCalls.add(objectId);
      openCalls.set(id, { ...call, objectId });
    },
    countCall,
    summarise(messages, kept) {
      change({ compaction: { messages, from: kept ?? afterEnd(state.turns) } });
    },
    archive: (archive) => change({ archive }),
    nameCalls(calls) {
      state = {
        ...state,
        toolcallRefs: continued(state.toolcallRefs, calls.map(referenceTo)),
        loadedRefs: withLoaded(state.loadedRefs, calls),
      };
    },
    nameUserObject(object) {
      const userRefs = withReferences(state.userRefs, [staticReference(object)]);
      state = { ...state, userRefs };
    },
    know(message) {
      known.set(message.key, message);
      sequence.push(message);
    },
    setSequence(next) {
      sequence = next;
    },
    setTurns: (turns) => change({ turns }),
    replace,
    keep(version) {
      stored = metadataVersion(version);
      isChanged = false;
    },
  };
}

/** Returns a chat with references to the results of its calls, to the files that these loaded, and to its long texts. */
function withReferencesTo(
  next: ChatState,
  placedCalls: ReadonlySet<ObjectId>,
  results: ReadonlyMap<ObjectId, PoolEntry>,
): ChatState {
  const named = new Set(next.toolcallRefs.map((reference) => reference.id));
  const placed = [...placedCalls].flatMap((id) => results.get(id)?.stored ?? []);
  const missing = placed
    .filter(({ body }) => !named.has(body.id))
    .map((one) => staticReference(one));
  const loaded: readonly StaticReference[] = placed.flatMap(({ body }) => filesLoaded(body));
  const said = new Set(next.turns.flatMap(({ user_objects: own = [] }) => own.map(({ id }) => id)));
  const saidRefs = [...said].flatMap((id) => results.get(id)?.stored ?? []);
  return {
    ...next,
    toolcallRefs: [...next.toolcallRefs, ...missing],
    loadedRefs: withReferences([], loaded),
    userRefs: withReferences(
      next.userRefs.filter(({ id }) => said.has(id)),
      saidRefs.map((one) => staticReference(one)),
    ),
  };
}

function referenceTo(call: StoredMetadata): StaticReference {
  return staticReference(call);
}

/** Returns references with those to the files that calls loaded. */
function withLoaded(
  references: readonly StaticReference[],
  calls: readonly StoredMetadata[],
): readonly StaticReference[] {
  return calls.reduce((all, { body }) => withReferences(all, filesLoaded(body)), references);
}

function identityOfResult({ stored, row }: PoolEntry): KnownMessage["identity"] {
  const { body } = stored;
  const identity = messageIdentity("toolResult", timeIn(body["timestamp"]), row.key);
  return { ...identity, callId: providerId(body) };
}

function timeIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
