import {
  defined,
  type DynamicReference,
  type ObjectBody,
  type ObjectId,
  presenceOf,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { chatState } from "../chat/chat-body.ts";
import { isAssistantStep } from "../chat/turn.ts";
import { accountRow, readAccountRow } from "../cost/account-row.ts";
import type { Calibration, UsagePoint } from "../cost/calibration.ts";
import type { ClassTokens } from "../cost/class-tokens.ts";
import type { UseKey } from "../policy/activation-policy.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { sentView } from "../view/view-object.ts";
import { activationRow, type StoredSets } from "./active-sets.ts";
import type { PromptLimit, StoredCalls, ViewBranch } from "./sent-calls.ts";
import { newSessionState, replaceChat, type SessionState } from "./session-state.ts";
import type { HostShown } from "./shown-texts.ts";
import type { ToolExecutions } from "./tool-executions.ts";
import type { SummaryRows } from "./turn-summaries.ts";

/** Returns the session object to store (decision D50). */
export function sessionBody(state: SessionState): ObjectBody {
  const { chat, pool, active, uses, shown, sent, executions, summaries, unfolded } = state;
  const locked = [chat.id, ...sent.systemPrompts.values()].filter((id) => !active.has(id));
  const chatRef: DynamicReference = { ref: "dynamic", id: chat.id };
  return {
    id: state.id,
    type: "session",
    locked: true,
    content: null,
    harness: state.harness,
    session_id: state.hostSessionId,
    chat_ref: chatRef,
    ...(sent.viewId === undefined ? {} : { view_ref: { ref: "dynamic", id: sent.viewId } }),
    ...defined({ view_branch: sent.viewBranch }),
    system_prompt_refs: Object.fromEntries(
      [...sent.systemPrompts].map(([origin, id]) => [origin, { ref: "dynamic" as const, id }]),
    ),
    active_set: [...locked, ...active.activations.keys()],
    inactive_set: pool.idsWithout(active.activations.keys()),
    pinned_set: [...active.pinned],
    pool: pool.rows,
    handle_counts: Object.fromEntries(pool.handleCounts),
    activations: Object.fromEntries(
      [...active.activations].map(([id, activation]) => [id, activationRow(activation)]),
    ),
    ...(shown.texts.size === 0 ? {} : { host_shown: Object.fromEntries(shown.texts) }),
    recent: [...uses.recent],
    pending_calls: [...executions.applied],
    calibration: calibrationRow(sent),
    usage_points: sent.usage,
    ...defined({ usage_model: sent.usageModel }),
    ...(sent.promptLimits.size === 0
      ? {}
      : { prompt_limits: Object.fromEntries(sent.promptLimits) }),
    ...(sent.leftOut.length === 0 ? {} : { left_out: sent.leftOut }),
    ...(sent.hasUnknown ? { left_out_unknown: true } : {}),
    ...(sent.account === undefined ? {} : { cost_account: accountRow(sent.account) }),
    ...defined({ summaries: summaries.rows() }),
    ...(unfolded.turns.length === 0 ? {} : { unfolded_turns: unfolded.turns }),
    last_tx_id: state.lastTransaction,
    provenance: { origin: state.hostSessionId, generator: "system" },
  };
}

/** Fills the pool and the sets of a state from a stored session object. */
export function readSessionSets(
  { pool, active, shown, uses, executions }: SessionState,
  body: ObjectBody,
  metadata: ReadonlyMap<ObjectId, StoredMetadata>,
): void {
  pool.restore(
    {
      pool: body["pool"] as readonly PoolRow[],
      handle_counts: body["handle_counts"] as Readonly<Record<string, number>>,
    },
    metadata,
  );
  const sets: StoredSets = {
    active_set: body["active_set"] as readonly ObjectId[],
    pinned_set: body["pinned_set"] as readonly ObjectId[],
    activations: body["activations"] as StoredSets["activations"],
  };
  active.restore(sets, (id) => {
    const entry = pool.get(id);
    // A file can have been deleted since the session was stored.
    return entry !== undefined && presenceOf(entry.stored.body) !== "missing";
  });
  shown.restore((body["host_shown"] ?? {}) as Readonly<Record<ObjectId, HostShown>>);
  uses.restore((body["recent"] ?? []) as readonly UseKey[]);
  executions.restore(body["pending_calls"] as readonly string[]);
}

/**
 * Returns a session's state, built from its stored session and chat. A resumed session has the same sets and handles,
 * and its view is the given one.
 */
export function restoreSessionState(
  session: StoredVersion,
  chat: StoredVersion,
  metadata: ReadonlyMap<ObjectId, StoredMetadata>,
  {
    view,
    executions,
  }: { readonly view?: StoredVersion; readonly executions?: ToolExecutions } = {},
): SessionState {
  const { body } = session;
  const host = { harness: body["harness"] as string, sessionId: body["session_id"] as string };
  const ids = { session: body.id, chat: chat.body.id };
  const state = newSessionState(ids, host, executions);
  state.sent.restore(storedCalls(body));
  readSessionSets(state, body, metadata);
  state.unfolded.restore((body["unfolded_turns"] ?? []) as readonly number[]);
  state.summaries.restore(body["summaries"] as SummaryRows | undefined, metadata);
  replaceChat(state, chatState(chat.body, host.sessionId));
  state.chat.keep(chat);
  state.noteTransaction(Math.max(session.at.tx_id, chat.at.tx_id));
  state.noteStored(session.version);
  if (view !== undefined) {
    const sent = sentView(view, isDone(state, view.version));
    state.sent.setView(sent, { isWaiting: !sent.isAnswered });
  }
  return state;
}

/** The calibration with the raw tokens of the view that was sent last, which the next usage is compared with. */
type CalibrationRow = Calibration & { readonly sent?: ClassTokens };

function calibrationRow({ calibration, sentTokens }: StoredCalls): CalibrationRow {
  return Object.keys(sentTokens).length === 0 ? calibration : { ...calibration, sent: sentTokens };
}

function readCalibration({
  sent = {},
  ...calibration
}: CalibrationRow): Pick<StoredCalls, "calibration" | "sentTokens"> {
  return { calibration, sentTokens: sent };
}

function storedCalls(body: ObjectBody): StoredCalls {
  const prompts = Object.entries(
    body["system_prompt_refs"] as Readonly<Record<string, DynamicReference>>,
  );
  return {
    viewId: (body["view_ref"] as DynamicReference | undefined)?.id,
    viewBranch: body["view_branch"] as ViewBranch | undefined,
    systemPrompts: new Map(prompts.map(([origin, { id }]) => [origin, id])),
    ...readCalibration(body["calibration"] as CalibrationRow),
    usage: (body["usage_points"] ?? []) as readonly UsagePoint[],
    usageModel: body["usage_model"] as string | undefined,
    promptLimits: new Map(
      Object.entries((body["prompt_limits"] ?? {}) as Readonly<Record<string, PromptLimit>>),
    ),
    leftOut: (body["left_out"] ?? []) as readonly string[],
    hasUnknown: body["left_out_unknown"] === true,
    account: readAccountRow(body["cost_account"]),
  };
}

/** Whether a call no longer waits for its answer: its answer is in the chat, or the user went back to its view. */
function isDone({ chat, sent }: SessionState, call: number): boolean {
  if (sent.viewBranch?.from === call) return true;
  return chat.turns.some(({ steps }) =>
    steps.some((step) => isAssistantStep(step) && step.view === call),
  );
}
