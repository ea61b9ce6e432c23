import type { CallKind } from "../calls/call-kind.ts";
import type { PolicyObject } from "../policy/activation-policy.ts";
import { leaveActive } from "./set-active.ts";
import type { SessionScope } from "./session-scope.ts";

function kindOf(kind: unknown): { readonly kind?: CallKind } {
  return typeof kind === "string" ? { kind: kind as CallKind } : {};
}

/** Average characters of a token. An approximate size is enough for a policy. */
const charactersPerToken = 3.5;

/**
 * Removes the objects from the active set that the policy names. Those that no request has had yet stay, however many
 * results a batch of calls has. The session is not stored.
 */
export function applyPolicy(scope: SessionScope): void {
  const { state, dependencies } = scope;
  const candidates: PolicyObject[] = [];
  for (const [id, { used }] of state.active.activations) {
    const entry = state.pool.get(id);
    if (entry !== undefined && !state.active.pinned.has(id) && !state.active.unsent.has(id))
      candidates.push({
        id,
        key: entry.handle,
        type: entry.stored.body.type,
        used,
        ...kindOf(entry.stored.body["call_kind"]),
        tokens: Math.ceil(Number(entry.stored.body["char_count"] ?? 0) / charactersPerToken),
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
