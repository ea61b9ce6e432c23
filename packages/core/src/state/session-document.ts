import {
  type DynamicReference,
  type LineRange,
  metadataVersion,
  type ObjectBody,
  type ObjectId,
  presenceOf,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { chatState } from "../chat/chat-document.ts";
import { isAssistantStep } from "../chat/turn.ts";
import { accountRow, readAccountRow } from "../cost/account-row.ts";
import type { Calibration, UsagePoint } from "../cost/calibrated-estimator.ts";
import type { UseKey } from "../policy/activation-policy.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { sentView } from "../view/view-object.ts";
import {
  type Activation,
  type HostShown,
  type PromptLimit,
  newSessionState,
  replaceChat,
  type SessionState,
  type ViewBranch,
} from "./session-state.ts";

type StoredActivation = {
  readonly turn: number;
  readonly call: number;
  readonly asked?: true;
  readonly version?: number;
  readonly ranges?: readonly LineRange[];
};

/** Returns the session object to store (decision D50). */
export function sessionBody(state: SessionState): ObjectBody {
  const locked = [state.chat.id, ...state.systemPrompts.values()].filter(
    (id) => !state.active.has(id),
  );
  const chatRef: DynamicReference = { ref: "dynamic", id: state.chat.id };
  return {
    id: state.id,
    type: "session",
    locked: true,
    content: null,
    harness: state.harness,
    session_id: state.hostSessionId,
    chat_ref: chatRef,
    ...(state.viewId === undefined ? {} : { view_ref: { ref: "dynamic", id: state.viewId } }),
    ...(state.viewBranch === undefined ? {} : { view_branch: state.viewBranch }),
    system_prompt_refs: Object.fromEntries(
      [...state.systemPrompts].map(([origin, id]) => [origin, { ref: "dynamic" as const, id }]),
    ),
    active_set: [...locked, ...state.active.keys()],
    inactive_set: [...state.pool.keys()].filter((id) => !state.active.has(id)),
    pinned_set: [...state.pinned],
    pool: [...state.pool.values()].map(({ row }) => row),
    handle_counts: Object.fromEntries(state.handleCounts),
    activations: Object.fromEntries(
      [...state.active].map(([id, activation]) => [id, activationRow(activation)]),
    ),
    ...(state.hostShown.size === 0 ? {} : { host_shown: Object.fromEntries(state.hostShown) }),
    recent: [...state.recent],
    pending_calls: [...state.pendingCalls],
    calibration: state.calibration,
    usage_points: state.usage,
    ...(state.usageModel === undefined ? {} : { usage_model: state.usageModel }),
    ...(state.promptLimits.size === 0
      ? {}
      : { prompt_limits: Object.fromEntries(state.promptLimits) }),
    ...(state.leftOut.length === 0 ? {} : { left_out: state.leftOut }),
    ...(state.hasUnknown ? { left_out_unknown: true } : {}),
    ...(state.account === undefined ? {} : { cost_account: accountRow(state.account) }),
    last_tx_id: state.lastTransaction,
    provenance: { origin: state.hostSessionId, generator: "system" },
  };
}

/**
 * The stored rows of activations. Most activations do not change from version to version, so their rows are made once.
 */
const activationRows = new WeakMap<Activation, StoredActivation>();

function activationRow(activation: Activation): StoredActivation {
  const known = activationRows.get(activation);
  if (known !== undefined) return known;
  const { used, version, ranges, asked } = activation;
  const row = Object.freeze({
    turn: used.turn,
    call: used.call,
    ...(version === undefined ? {} : { version }),
    ...(ranges === undefined ? {} : { ranges }),
    ...(asked === undefined ? {} : { asked }),
  });
  activationRows.set(activation, row);
  return row;
}

/** Fills the pool and the sets of a state from a stored session object. */
export function readSessionSets(
  state: SessionState,
  body: ObjectBody,
  metadata: ReadonlyMap<ObjectId, StoredMetadata>,
): void {
  state.pool.clear();
  state.poolRevision += 1;
  state.handles.clear();
  for (const row of body["pool"] as readonly PoolRow[]) {
    const stored = metadata.get(row.id);
    if (stored === undefined) continue;
    state.pool.set(row.id, { id: row.id, handle: row.handle, stored, row });
    if (stored.body.type === "file" || stored.body.type === "note") state.untracked.add(row.id);
    state.handles.set(row.handle, row.id);
  }
  for (const [letter, count] of Object.entries(body["handle_counts"] as Record<string, number>)) {
    state.handleCounts.set(letter, Math.max(count, state.handleCounts.get(letter) ?? 0));
  }
  const activations = body["activations"] as Record<string, StoredActivation>;
  state.active.clear();
  for (const id of body["active_set"] as readonly ObjectId[]) {
    const stored = activations[id];
    const entry = state.pool.get(id);
    // A file can have been deleted since the session was stored.
    const isGone = entry === undefined || presenceOf(entry.stored.body) === "missing";
    if (stored !== undefined && !isGone) state.active.set(id, activationOf(stored));
  }
  state.pinned.clear();
  for (const id of body["pinned_set"] as readonly ObjectId[])
    if (state.active.has(id)) state.pinned.add(id);
  state.hostShown.clear();
  const shown = (body["host_shown"] ?? {}) as Record<ObjectId, HostShown>;
  for (const [id, lines] of Object.entries(shown)) state.hostShown.set(id as ObjectId, lines);
  const recent = (body["recent"] ?? []) as readonly UseKey[];
  state.recent.splice(0, state.recent.length, ...recent);
  state.paths = undefined;
  state.pendingCalls.clear();
  for (const id of body["pending_calls"] as readonly string[]) state.pendingCalls.add(id);
}

function activationOf(stored: StoredActivation): Activation {
  const { version, ranges, asked } = stored;
  return {
    used: { turn: stored.turn, call: stored.call },
    ...(version === undefined ? {} : { version }),
    ...(ranges === undefined ? {} : { ranges }),
    ...(asked === undefined ? {} : { asked }),
  };
}

/**
 * Returns a session's state, built from its stored session and chat. A resumed session has the same sets and handles,
 * and its view is the given one.
 */
export function restoreSessionState(
  session: StoredVersion,
  chat: StoredVersion,
  metadata: ReadonlyMap<ObjectId, StoredMetadata>,
  view?: StoredVersion,
): SessionState {
  const { body } = session;
  const host = { harness: body["harness"] as string, sessionId: body["session_id"] as string };
  const state = newSessionState({ session: body.id, chat: chat.body.id }, host);
  state.version = session.version;
  state.chatStored = metadataVersion(chat);
  state.calibration = body["calibration"] as Calibration;
  state.usage = (body["usage_points"] ?? []) as readonly UsagePoint[];
  state.usageModel = body["usage_model"] as string | undefined;
  const limits = (body["prompt_limits"] ?? {}) as Record<string, PromptLimit>;
  for (const [model, limit] of Object.entries(limits)) state.promptLimits.set(model, limit);
  state.leftOut = (body["left_out"] ?? []) as readonly string[];
  state.hasUnknown = body["left_out_unknown"] === true;
  state.account = readAccountRow(body["cost_account"]);
  state.lastTransaction = Math.max(session.at.tx_id, chat.at.tx_id);
  state.changed = false;
  for (const [origin, reference] of Object.entries(
    body["system_prompt_refs"] as Record<string, DynamicReference>,
  )) {
    state.systemPrompts.set(origin, reference.id);
  }
  readSessionSets(state, body, metadata);
  replaceChat(state, chatState(chat.body, host.sessionId));
  state.viewId = (body["view_ref"] as DynamicReference | undefined)?.id;
  state.viewBranch = body["view_branch"] as ViewBranch | undefined;
  state.view = view === undefined ? undefined : sentView(view, isDone(state, view.version));
  state.sentTokens = state.view?.isAnswered === false ? state.view.tokens : 0;
  return state;
}

/** Whether a call no longer waits for its answer: its answer is in the chat, or the user went back to its view. */
function isDone({ chat, viewBranch }: SessionState, call: number): boolean {
  if (viewBranch?.from === call) return true;
  return chat.turns.some(({ steps }) =>
    steps.some((step) => isAssistantStep(step) && step.view === call),
  );
}
