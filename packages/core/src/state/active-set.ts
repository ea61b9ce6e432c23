import { coveringRange, type LineRange, type ObjectId } from "@self-context-manager/objects";
import type { CallTime } from "../policy/activation-policy.ts";
import type { SessionScope } from "./session-scope.ts";
import { currentCallTime, type SessionState } from "./session-state.ts";
import { forgetUse, noteUse } from "./use-order.ts";

/**
 * Makes an object active, or says that it is used again, now unless told; a range widens to cover what is shown
 * already.
 */
export function setActive(
  state: SessionState,
  id: ObjectId,
  range: LineRange | undefined,
  used: CallTime = currentCallTime(state),
  isAsked = true,
): "now" | "already" {
  const known = state.active.get(id);
  const shown = known === undefined ? range : coveringRange(known.range, range);
  const asked = isAsked || known?.asked === true ? ({ asked: true } as const) : {};
  const handle = state.pool.get(id)?.handle;
  if (handle !== undefined) noteUse(state, handle);
  const isSame =
    known !== undefined &&
    (known.asked === true || !isAsked) &&
    known.range?.from === shown?.from &&
    known.range?.to === shown?.to &&
    known.used.turn === used.turn &&
    known.used.call === used.call;
  if (isSame) return "already";
  state.active.set(id, { used, ...(shown === undefined ? {} : { range: shown }), ...asked });
  state.changed = true;
  return known === undefined ? "now" : "already";
}

/**
 * Takes an object out of the active set because a policy or a layout says so: that it was used lately is not forgotten.
 * Says whether it was active.
 */
export function leaveActive({ state, contents }: SessionScope, id: ObjectId): boolean {
  const wasActive = state.active.delete(id);
  const wasPinned = state.pinned.delete(id);
  contents.delete(id);
  if (wasActive || wasPinned) state.changed = true;
  return wasActive;
}

/** Makes an object inactive and no longer pinned, because somebody asked; says whether it was active. */
export function setInactive(scope: SessionScope, id: ObjectId): boolean {
  const { state } = scope;
  const handle = state.pool.get(id)?.handle;
  if (handle !== undefined) forgetUse(state, handle);
  return leaveActive(scope, id);
}

/** Exempts an active object from the policy; says whether that is news. */
export function setPinned(state: SessionState, id: ObjectId): boolean {
  if (state.pinned.has(id)) return false;
  state.pinned.add(id);
  state.changed = true;
  return true;
}

/** Gives an object back to the policy; says whether it was pinned. */
export function setUnpinned(state: SessionState, id: ObjectId): boolean {
  const wasPinned = state.pinned.delete(id);
  if (wasPinned) state.changed = true;
  return wasPinned;
}
