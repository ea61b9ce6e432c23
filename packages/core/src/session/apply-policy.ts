import type { PolicyObject } from "../policy/activation-policy.ts";
import type { SessionScope } from "./session-scope.ts";
import { currentCallTime } from "./session-state.ts";

/** Asks the policy which objects leave the active set, and takes them out; the session is not stored. */
export function applyPolicy(scope: SessionScope): void {
  const { state, contents, dependencies } = scope;
  const candidates: PolicyObject[] = [];
  for (const [id, { used }] of state.active) {
    const entry = state.pool.get(id);
    if (entry !== undefined && !state.pinned.has(id))
      candidates.push({ id, key: entry.handle, type: entry.stored.body.type, used });
  }
  const leaving = dependencies.policy.leaving({
    candidates,
    turn: currentCallTime(state).turn,
    callsInTurn: (turn) => state.callsInTurn.get(turn) ?? 0,
    recent: state.recent,
    sentTokens: state.view?.tokens ?? 0,
  });
  for (const id of leaving) {
    if (state.active.delete(id)) state.changed = true;
    contents.delete(id);
  }
}
