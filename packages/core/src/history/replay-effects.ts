import type { ToolEffect } from "../calls/execution.ts";
import type { CallTime } from "../policy/activation-policy.ts";
import { activateShowable } from "../state/host-shown.ts";
import { noteFileUse } from "../state/note-use.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { setActive, setInactive } from "../state/set-active.ts";

/**
 * Applies the effects of context tools again, from a history that this session ingests for the first time, as after a
 * fork. Effects on objects that the store does not have are ignored, and so are effects on the chat of another session:
 * only its own session shows a chat (decision D42).
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
        if (effect.id === state.chat.id) replayActivation(scope, effect, used);
        else await replayRead(scope, effect, used);
        break;
      case "activate":
        replayActivation(scope, effect, used);
        break;
      case "pin":
        if (replayActivation(scope, effect, used)) state.active.pin(effect.id);
        break;
      case "find_objects":
        // What it found is in its output, and nothing became active.
        break;
      case "unpin":
        state.active.unpin(effect.id);
        break;
      case "deactivate":
        setInactive(scope, effect.id);
        break;
    }
  }
}

async function replayRead(
  scope: SessionScope,
  { id, range, file }: ToolEffect,
  used: CallTime,
): Promise<void> {
  const { state, dependencies } = scope;
  const entry = state.pool.get(id);
  if (entry === undefined) return;
  const isNewest = file === undefined || file.content_hash === entry.stored.hashes.content_hash;
  const stored = isNewest ? entry.stored : await dependencies.store.get(id, { txId: file.tx_id });
  if (stored === undefined) return;
  setActive(state, id, range, { used, version: stored.version });
  state.shown.addLines(stored, range);
  noteFileUse(scope, entry);
}

/** Activates an object as far as its text may be shown. Returns whether any of it is. */
function replayActivation(scope: SessionScope, { id, range }: ToolEffect, used: CallTime): boolean {
  const entry = scope.state.pool.get(id);
  if (entry === undefined) return false;
  const { type } = activateShowable(scope, entry, range, { used });
  return type === "all" || type === "lines";
}

async function isKnown(scope: SessionScope, effect: ToolEffect): Promise<boolean> {
  if (scope.state.pool.has(effect.id)) return true;
  const [stored] = await scope.dependencies.store.describe([effect.id]);
  if (stored === undefined) return false;
  if (stored.body.locked && effect.id !== scope.state.chat.id) return false;
  joinPool(scope.state, stored);
  return true;
}
