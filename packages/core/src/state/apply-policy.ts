import type { LineRange } from "@self-context-manager/objects";
import type { CallKind } from "../calls/call-kind.ts";
import type { PolicyObject } from "../policy/activation-policy.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { leaveActive } from "./set-active.ts";
import type { SessionScope } from "./session-scope.ts";
import { tokensInView } from "./tokens-in-view.ts";

function kindOf(kind: unknown): { readonly kind?: CallKind } {
  return typeof kind === "string" ? { kind: kind as CallKind } : {};
}

/** Average characters of a token. An approximate size is enough for a policy. */
const charactersPerToken = 3.5;

/** Average tokens of a line, for lines of which the size is not known. */
const tokensPerLine = 10;

/**
 * Returns the tokens of an object for a policy. Of a file with active lines only these count, and an image counts with
 * its text. An output that is shown by its ends counts whole, because text between the ends is seldom used again.
 */
function sizeOf(
  { stored }: PoolEntry,
  ranges: readonly LineRange[] | undefined,
  inView: number | undefined,
): number {
  const whole = Math.ceil(Number(stored.body["char_count"] ?? 0) / charactersPerToken);
  if (ranges === undefined) return Math.max(inView ?? 0, whole);
  const lines = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return inView ?? Math.min(whole, lines * tokensPerLine);
}

/**
 * Removes the objects from the active set that the policy names. Those that no request has had yet stay, however many
 * results a batch of calls has. The session is not stored.
 */
export function applyPolicy(scope: SessionScope): void {
  const { state, dependencies } = scope;
  const inView = tokensInView(state.sent.view?.record);
  const candidates: PolicyObject[] = [];
  for (const [id, { used, ranges }] of state.active.activations) {
    const entry = state.pool.get(id);
    if (entry !== undefined && !state.active.pinned.has(id) && !state.active.unsent.has(id))
      candidates.push({
        id,
        key: entry.handle,
        type: entry.stored.body.type,
        used,
        ...kindOf(entry.stored.body["call_kind"]),
        tokens: sizeOf(entry, ranges, inView.get(entry.handle)),
      });
  }
  const leaving = dependencies.policy.leaving({
    candidates,
    turn: state.chat.now().turn,
    callsInTurn: (turn) => state.chat.callsIn(turn),
    recent: state.uses.recent,
    sentTokens: state.sent.view?.tokens ?? 0,
  });
  for (const id of leaving) leaveActive(scope, id);
}
