import {
  type ChatPosition,
  continued,
  defined,
  type DynamicReference,
  type ObjectBody,
  type ObjectId,
  type StaticReference,
  sumOfGroups,
} from "@self-context-manager/objects";
import { chatContent, type StatusOf } from "./chat-content.ts";
import type { AssistantMessage, OpaqueMessage, UserMessage } from "./message.ts";
import {
  isAfter,
  isAssistantStep,
  type Step,
  toolcallsOf,
  type Turn,
  type TurnPosition,
} from "./turn.ts";

/**
 * Messages that replace all turns and steps before `from`: a summary that the user asked for, or the beginning of the list
 * of a host that has no summaries of its own kind (decision D53).
 */
export type Compaction = {
  readonly messages: readonly ReplacingMessage[];
  readonly from: TurnPosition;
};

/** A message that replaces earlier ones. `key` is set only if the host has its own message keys or records no times. */
export type ReplacingMessage = {
  readonly message: UserMessage | AssistantMessage | OpaqueMessage;
  readonly key?: string;
};

/** The stored state of a chat, without the fields that are computed from it. */
export interface ChatState {
  readonly id: ObjectId;
  readonly sessionId: ObjectId;
  readonly hostSessionId: string;
  readonly turns: readonly Turn[];
  readonly toolcallRefs: readonly StaticReference[];
  /** The versions of files that context tools and reads loaded into the context, each once, in order (§12.3). */
  readonly loadedRefs: readonly StaticReference[];
  /** The objects of the user's long texts, each once (§12.3). */
  readonly userRefs: readonly StaticReference[];
  readonly compaction?: Compaction;
  /** The lines of the archived chats, and the place before which no turn is shown. The key of a line is the chat's id. */
  readonly archive?: Compaction;
}

/** Returns the chat object to store: the turns, which are the canonical form, and their text for people. */
export function chatBody(state: ChatState, statusOf: StatusOf): ObjectBody {
  const sessionRef: DynamicReference = { ref: "dynamic", id: state.sessionId };
  return {
    id: state.id,
    type: "chat",
    locked: true,
    content: chatContent(state.turns, statusOf),
    turns: state.turns,
    session_ref: sessionRef,
    turn_count: turnCount(state.turns),
    step_count: stepCount(state.turns),
    toolcall_refs: state.toolcallRefs,
    ...(state.loadedRefs.length === 0 ? {} : { loaded_refs: state.loadedRefs }),
    ...(state.userRefs.length === 0 ? {} : { user_refs: state.userRefs }),
    ...defined({ compaction: state.compaction, archive: state.archive }),
    provenance: { origin: state.hostSessionId, generator: "system" },
  };
}

/** Returns the object of an archived chat: some turns of a session's chat, of which `parent` is the version with them. */
export function archivedChatBody(
  state: ChatState,
  {
    id,
    turns,
    parent,
  }: {
    readonly id: ObjectId;
    readonly turns: readonly Turn[];
    readonly parent: StaticReference;
  },
  statusOf: StatusOf,
): ObjectBody {
  const calls = new Set(turns.flatMap(toolcallsOf));
  const texts = new Set(turns.flatMap(({ user_objects: own = [] }) => own.map((one) => one.id)));
  const userRefs = state.userRefs.filter((one) => texts.has(one.id));
  const sessionRef: DynamicReference = { ref: "dynamic", id: state.sessionId };
  const content = chatContent(turns, statusOf);
  return {
    id,
    type: "chat",
    locked: false,
    archived: true,
    content,
    char_count: content.length,
    turns,
    session_ref: sessionRef,
    turn_count: turnCount(turns),
    step_count: stepCount(turns),
    toolcall_refs: state.toolcallRefs.filter((one) => calls.has(one.id)),
    ...(userRefs.length === 0 ? {} : { user_refs: userRefs }),
    provenance: { origin: state.hostSessionId, generator: "system", parent_refs: [parent] },
  };
}

/**
 * Returns what replaces the beginning of the chat in views: the lines of the archived chats, a compaction, or both. What a
 * compaction says of archived turns only is not shown.
 */
export function shownBeginning({
  archive,
  compaction,
}: Pick<ChatState, "archive" | "compaction">): Compaction | undefined {
  if (archive === undefined || compaction === undefined) return archive ?? compaction;
  if (!isAfter(compaction.from, archive.from)) return archive;
  return { messages: [...archive.messages, ...compaction.messages], from: compaction.from };
}

/** Reads the state of a stored chat object. */
export function chatState(body: ObjectBody, hostSessionId: string): ChatState {
  const compaction = body["compaction"] as Compaction | undefined;
  const archive = body["archive"] as Compaction | undefined;
  return {
    id: body.id,
    sessionId: (body["session_ref"] as DynamicReference).id,
    hostSessionId,
    turns: body["turns"] as readonly Turn[],
    toolcallRefs: body["toolcall_refs"] as readonly StaticReference[],
    loadedRefs: (body["loaded_refs"] ?? []) as readonly StaticReference[],
    userRefs: (body["user_refs"] ?? []) as readonly StaticReference[],
    ...defined({ compaction, archive }),
  };
}

/** Returns references with further ones, each version of an object once. */
export function withReferences(
  references: readonly StaticReference[],
  more: readonly StaticReference[],
): readonly StaticReference[] {
  if (more.length === 0) return references;
  const known = new Set(references.map(named));
  const added = new Map(
    more.filter((one) => !known.has(named(one))).map((one) => [named(one), one]),
  );
  return added.size === 0 ? references : continued(references, [...added.values()]);
}

function named({ id, tx_id: txId }: StaticReference): string {
  return `${txId} ${id}`;
}

/** Returns a chat with one more turn, which a user message began. */
export function withTurn(turns: readonly Turn[], turn: Turn): readonly Turn[] {
  return continued(turns, [turn]);
}

/** Returns a chat with one more step in its last turn. An empty chat gets a turn without a user message. */
export function withStep(turns: readonly Turn[], step: Step): readonly Turn[] {
  const last = turns.at(-1);
  if (last === undefined) return [{ user: null, timestamp: null, steps: [step] }];
  return continued(turns, [{ ...last, steps: continued(last.steps, [step]) }], turns.length - 1);
}

/** Returns a chat in which one tool call refers to another object. */
export function withToolcallId(
  turns: readonly Turn[],
  { turn, step, call }: ChatPosition,
  id: ObjectId,
): readonly Turn[] {
  const changed = turns[turn];
  const former = changed?.steps[step];
  if (changed === undefined || former === undefined || !isAssistantStep(former)) return turns;
  const later = { ...former, toolcall_ids: former.toolcall_ids.with(call, id) };
  return turns.with(turn, { ...changed, steps: changed.steps.with(step, later) });
}

/** Returns the part of a chat up to a place. */
export function upTo(turns: readonly Turn[], position: TurnPosition): readonly Turn[] {
  if (position.turn < 0) return [];
  const last = turns[position.turn];
  if (last === undefined) return turns;
  return [
    ...turns.slice(0, position.turn),
    { ...last, steps: last.steps.slice(0, position.step + 1) },
  ];
}

/** Returns the part of a chat from a place on. A turn that is cut there has no user message. */
export function turnsFrom(turns: readonly Turn[], { turn, step }: TurnPosition): readonly Turn[] {
  if (step < 0) return turns.slice(turn);
  const rest = turns[turn]?.steps.slice(step) ?? [];
  const later = turns.slice(turn + 1);
  return rest.length === 0 ? later : [{ user: null, timestamp: null, steps: rest }, ...later];
}

/** Returns the number of user messages in a chat. */
function turnCount(turns: readonly Turn[]): number {
  return sumOfGroups(turns, countedTurns, ({ user }) => (user === null ? 0 : 1));
}

const countedTurns = new WeakMap<readonly Turn[], number>();

/** Returns the number of steps in a chat. */
function stepCount(turns: readonly Turn[]): number {
  return sumOfGroups(turns, countedSteps, ({ steps }) => steps.length);
}

const countedSteps = new WeakMap<readonly Turn[], number>();
