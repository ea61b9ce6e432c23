import { isAssistantStep } from "../chat/turn.ts";
import { commitSession, type SessionScope } from "../state/session-scope.ts";

/**
 * Shows turns whole again in which calls were folded, by the handles of these calls (decision D71). The next view has them,
 * and no later end of an epoch folds them unless the budget needs their room. Returns the numbers of the turns, from 1.
 */
export async function unfold(
  scope: SessionScope,
  handles: readonly string[],
): Promise<readonly number[]> {
  const { state } = scope;
  const asked = new Set(handles.flatMap((handle) => state.pool.handles.get(handle) ?? []));
  const found = new Set<number>();
  for (const entry of state.sent.view?.record.entries ?? []) {
    if (entry.type !== "assistant" || entry.fold === undefined) continue;
    // No view shows an archived turn.
    if (entry.turn < (state.chat.state.archive?.from.turn ?? 0)) continue;
    const steps = state.chat.turns[entry.turn]?.steps ?? [];
    const calls = entry.fold.steps.flatMap((at) => {
      const step = steps[at];
      return step !== undefined && isAssistantStep(step) ? step.toolcall_ids : [];
    });
    if (calls.some((id) => asked.has(id))) found.add(entry.turn);
  }
  state.unfolded.add(found);
  await commitSession(scope);
  return [...found].map((turn) => turn + 1);
}
