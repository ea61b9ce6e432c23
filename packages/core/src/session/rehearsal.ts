import {
  defined,
  type LineRange,
  metadataVersion,
  type ObjectId,
  sealObject,
  type StoredVersion,
} from "@self-context-manager/objects";
import { rangeIn } from "../calls/execution.ts";

import { argumentsOf, type Block, isToolCall, type ToolCallBlock } from "../chat/message.ts";
import { turnTalk } from "../chat/turn-talk.ts";
import { isAssistantStep, type Step, type Turn } from "../chat/turn.ts";
import { calibratedEstimator } from "../cost/calibrated-estimator.ts";
import type { HostSession } from "../host/host-session.ts";
import { applyPolicy } from "../state/apply-policy.ts";
import { noteArrival, noteNamedFiles } from "../state/note-use.ts";
import { openState } from "../state/open-state.ts";
import {
  emptyScopeMaps,
  type SessionDependencies,
  type SessionScope,
} from "../state/session-scope.ts";
import { newSessionState, type SessionState } from "../state/session-state.ts";
import { setActive } from "../state/set-active.ts";
import type { LayoutOutput } from "../view/layout.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { activate } from "./change-activation.ts";
import type { ActivateRange } from "./chosen-range.ts";
import { cacheUse } from "./cache-cost.ts";
import { renderView, takeOut } from "./make-view.ts";
import type { ViewOptions } from "./view-options.ts";

/** A tool call of a stored session. */
export interface RehearsedCall {
  /** The provider id of the call. */
  readonly callId: string;
  readonly id: ObjectId;
  readonly handle: string;
  readonly stored: StoredVersion;
}

/** A summary that replaces everything before a place in the chat. */
export interface RehearsedSummary {
  readonly text: string;
  /** The first turn and step that stay. Step -1 is the user message of the turn. */
  readonly from: { readonly turn: number; readonly step: number };
}

/** A stored session, divided into the input of each of its model calls. */
export interface StoredRehearsal {
  /** The number of model calls of the session. */
  readonly callCount: number;
  /** The tool calls, in the order of their results. */
  readonly toolcalls: readonly RehearsedCall[];
  /** The turn and step of each call's answer. */
  readonly places: readonly { readonly turn: number; readonly step: number }[];
  /** Runs the session again from its beginning, under a policy and a layout. Nothing is stored. */
  begin(dependencies: SessionDependencies): Rehearsal;
}

/** One run of a stored session. */
export interface Rehearsal {
  /** Returns the view of the next model call. Rejects with `RangeError` after the last call. */
  view(options?: ViewOptions): Promise<LayoutOutput>;
  /**
   * Activates an object, or lines of it, like the model's `activate`, and returns the view of the same call with it.
   * Rejects with `RangeError` if the model's call would be refused.
   */
  activate(handle: string, lines?: ActivateRange, options?: ViewOptions): Promise<LayoutOutput>;
  /** Returns the lines of an active object that are active; undefined if all are, or if the object is inactive. */
  activeLines(handle: string): readonly LineRange[] | undefined;
  /** Notes the short summary that a model has written of a finished turn, by its index, from the next view on. */
  noteSummary(turn: number, short: string): void;
  /** Replaces the earlier messages by a summary of the host, from the next view on (decision D53). */
  summarise(summary: RehearsedSummary): void;
}

interface Arrived {
  readonly entry: PoolEntry;
  readonly stored: StoredVersion;
  readonly call: ToolCallBlock;
  readonly turn: number;
}

/** A long text of the user that a session has as an object. */
interface SaidText {
  readonly entry: PoolEntry;
  readonly stored: StoredVersion;
  readonly turn: number;
}

/**
 * The new input of a model call: the turns so far, the tool calls of the last answer, their results, and the long texts of
 * new user messages.
 */
interface CallInput {
  readonly said: readonly SaidText[];
  readonly turns: readonly Turn[];
  readonly named: readonly ToolCallBlock[];
  readonly arrived: readonly Arrived[];
}

/**
 * Opens a stored session to run it again under other policies and layouts. The same code as in a running session ranks,
 * chooses and arranges its objects, but nothing is stored.
 */
export async function openRehearsal(
  dependencies: SessionDependencies,
  host: HostSession,
): Promise<StoredRehearsal> {
  const state = await openState(dependencies, host);
  const ids = [...state.pool.entries.keys()];
  const order = new Map(ids.map((id, index) => [id, index]));
  const stored = await dependencies.store.getMany(ids);
  const versions = new Map(
    stored.flatMap((version) => (version === undefined ? [] : [[version.body.id, version]])),
  );
  const { stages, places } = stagesOf(state, versions, order);
  const toolcalls = stages.flatMap(({ arrived }) =>
    arrived.map(({ entry, stored: version, call }) => ({
      callId: call.id,
      id: entry.id,
      handle: entry.handle,
      stored: version,
    })),
  );
  return {
    callCount: stages.length,
    toolcalls,
    places,
    begin: (chosen) => beginRehearsal(chosen, state, stages),
  };
}

function stagesOf(
  state: SessionState,
  versions: ReadonlyMap<ObjectId, StoredVersion>,
  order: ReadonlyMap<ObjectId, number>,
): { readonly stages: readonly CallInput[]; readonly places: StoredRehearsal["places"] } {
  const turns = numbered(state.chat.turns);
  const stages: CallInput[] = [];
  const places: { readonly turn: number; readonly step: number }[] = [];
  let named: readonly ToolCallBlock[] = [];
  let arrived: readonly Arrived[] = [];
  let heard = 0;
  for (const [turn, { steps }] of turns.entries()) {
    for (const [step, one] of steps.entries()) {
      if (!isAssistantStep(one)) continue;
      const said = saidTexts(state, versions, turns.slice(heard, turn + 1), heard);
      heard = turn + 1;
      stages.push({ turns: turnsBefore(turns, turn, step), named, arrived, said });
      places.push({ turn, step });
      named = one.assistant.filter(isToolCall);
      // Results join the pool in the order of their arrival, which can differ from the order of their calls.
      arrived = resultsOf(state, versions, one, named, turn).toSorted(
        (a, b) => (order.get(a.entry.id) ?? 0) - (order.get(b.entry.id) ?? 0),
      );
    }
  }
  return { stages, places };
}

function saidTexts(
  state: SessionState,
  versions: ReadonlyMap<ObjectId, StoredVersion>,
  turns: readonly Turn[],
  first: number,
): readonly SaidText[] {
  return turns.flatMap(({ user_objects: own = [] }, index) =>
    own.flatMap(({ id }): readonly SaidText[] => {
      const entry = state.pool.get(id);
      const stored = versions.get(id);
      return entry === undefined || stored === undefined
        ? []
        : [{ entry, stored, turn: first + index }];
    }),
  );
}

/** Returns turns in which each answer names the rehearsed call that it answers. */
function numbered(turns: readonly Turn[]): readonly Turn[] {
  let call = 0;
  return turns.map((turn) => ({
    ...turn,
    steps: turn.steps.map((step) => {
      if (!isAssistantStep(step)) return step;
      call += 1;
      return { ...step, view: call };
    }),
  }));
}

function turnsBefore(turns: readonly Turn[], turn: number, step: number): readonly Turn[] {
  const current = turns[turn];
  if (current === undefined) return turns.slice(0, turn);
  return [...turns.slice(0, turn), { ...current, steps: current.steps.slice(0, step) }];
}

function resultsOf(
  state: SessionState,
  versions: ReadonlyMap<ObjectId, StoredVersion>,
  step: Step,
  calls: readonly ToolCallBlock[],
  turn: number,
): readonly Arrived[] {
  if (!isAssistantStep(step)) return [];
  return calls.flatMap((call, index): readonly Arrived[] => {
    const id = step.toolcall_ids[index];
    const entry = id === undefined ? undefined : state.pool.get(id);
    const stored = id === undefined ? undefined : versions.get(id);
    return entry === undefined || stored === undefined ? [] : [{ entry, stored, call, turn }];
  });
}

function beginRehearsal(
  dependencies: SessionDependencies,
  { id, chat, harness, hostSessionId }: SessionState,
  stages: readonly CallInput[],
): Rehearsal {
  const state = newSessionState(
    { session: id, chat: chat.id },
    { harness, sessionId: hostSessionId },
  );
  const scope: SessionScope = {
    dependencies,
    state,
    generation: 0,
    readTool: "read",
    // What a stored session activated was within its reach then.
    findIn: "store",
    ...emptyScopeMaps(),
    staged: [],
  };
  const estimator = calibratedEstimator(state.sent.calibration);
  const summaries = new Map<number, string>();
  let next = 0;

  async function look(options: ViewOptions): Promise<LayoutOutput> {
    const { output, account } = await renderView(scope, options, estimator);
    takeOut(scope, output);
    state.active.noteSent();
    const { metadata, chat: said, active } = output.tokens;
    const sentAt = dependencies.clock?.now();
    state.sent.setView({
      id,
      call: next,
      record: output.record,
      tokens: metadata + said + active,
      isAnswered: false,
      ...defined({ cache: sentAt === undefined ? undefined : cacheUse(options, sentAt) }),
    });
    state.sent.setAccount(account);
    return output;
  }

  return {
    async view(options = {}) {
      const stage = stages[next];
      if (stage === undefined)
        throw new RangeError(`the session has ${stages.length} model calls and no more`);
      next += 1;
      takeIn(scope, stage);
      for (const [turn, short] of summaries) addSummary(state, turn, short);
      summaries.clear();
      return await look(options);
    },
    noteSummary: (turn, short) => void summaries.set(turn, short),
    async activate(handle, lines = {}, options = {}) {
      const answer = await activate(scope, handle, lines);
      if (!answer.ok) throw new RangeError(answer.text);
      return await look(options);
    },
    activeLines(handle) {
      const found = state.pool.handles.get(handle);
      return found === undefined ? undefined : state.active.get(found)?.ranges;
    },
    summarise({ text, from }) {
      const message = { role: "opaque", kind: "summary", raw: text } as const;
      state.chat.summarise([{ message }], from);
    },
  };
}

function addSummary({ id, chat, summaries }: SessionState, index: number, short: string): void {
  const turn = chat.turns[index];
  if (turn === undefined) return;
  const object = sealObject({
    id,
    type: "summary",
    locked: false,
    content: null,
    short_summary: short,
    provenance: { origin: "rehearsal", generator: "agent" },
  });
  const at = { tx_id: 1, tx_time: "" };
  summaries.add(turnTalk(turn).key, metadataVersion({ ...object, version: 1, at }));
}

/** Adds the messages between two model calls, in the same order as a running session. */
function takeIn(scope: SessionScope, { turns, named, arrived, said }: CallInput): void {
  const { state, contents } = scope;
  // As in a running session, the use of named files is recorded with the message, before the results and the next
  // prompt.
  for (const call of named) noteNamedFiles(scope, call.name, argumentsOf(call.arguments));
  state.chat.setTurns(turns);
  for (const { entry, stored, call, turn } of arrived) {
    state.pool.adopt(entry);
    state.chat.countCall(turn, false);
    const used = { turn, call: state.chat.callsIn(turn) };
    contents.set(entry.id, stored);
    noteArrival(scope, entry, call.name, argumentsOf(call.arguments));
    if (hasOtherBlocks(stored) || Number(stored.body["char_count"] ?? 0) > 0)
      setActive(state, entry.id, rangeIn(stored.body["shown_range"]), { used, isAsked: false });
  }
  for (const { entry, stored, turn } of said) {
    // The same text again is the same object.
    if (!state.pool.has(entry.id)) state.pool.adopt(entry);
    contents.set(entry.id, stored);
    const used = { turn, call: state.chat.callsIn(turn) };
    setActive(state, entry.id, undefined, { used, isAsked: false });
  }
  applyPolicy(scope);
  for (const { entry } of [...arrived, ...said])
    if (!state.active.has(entry.id)) contents.delete(entry.id);
}

function hasOtherBlocks({ body }: StoredVersion): boolean {
  const blocks = body["blocks"];
  return Array.isArray(blocks) && (blocks as readonly Block[]).some(({ type }) => type !== "text");
}
