import type { ObjectId } from "@self-context-manager/objects";
import type { ToolEffect } from "../calls/execution.ts";
import type { CallTime } from "../policy/activation-policy.ts";
import { setActive, setInactive, setPinned, setUnpinned } from "../state/active-set.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { noteFileUse } from "../state/use-order.ts";

/**
 * Applies the effects of context tools again, from a history that this session ingests for the first time, as after a
 * fork. Effects on objects that the store does not have are ignored.
 */
export async function replayEffects(
  scope: SessionScope,
  effects: readonly ToolEffect[],
  used: CallTime,
): Promise<void> {
  for (const effect of effects) {
    if (!(await isKnown(scope, effect))) continue;
    const { state } = scope;
    switch (effect.op) {
      case "read":
        setActive(state, effect.id, effect.range, used);
        noteRead(scope, effect.id);
        break;
      case "activate":
        setActive(state, effect.id, effect.range, used);
        break;
      case "pin":
        setActive(state, effect.id, effect.range, used);
        setPinned(state, effect.id);
        break;
      case "unpin":
        setUnpinned(state, effect.id);
        break;
      case "deactivate":
        setInactive(scope, effect.id);
        break;
    }
  }
}

function noteRead(scope: SessionScope, id: ObjectId): void {
  const entry = scope.state.pool.get(id);
  if (entry !== undefined) noteFileUse(scope, entry);
}

async function isKnown(scope: SessionScope, effect: ToolEffect): Promise<boolean> {
  if (scope.state.pool.has(effect.id)) return true;
  const [stored] = await scope.dependencies.store.describe([effect.id]);
  if (stored === undefined || stored.body.locked) return false;
  joinPool(scope.state, stored);
  return true;
}
