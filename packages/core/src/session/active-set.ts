import type { ObjectId } from "../objects/object-id.ts";
import type { CallTime } from "../policy/activation-policy.ts";
import { coveringRange, type LineRange } from "./line-range.ts";
import type { SessionScope } from "./session-scope.ts";
import { currentCallTime, type SessionState } from "./session-state.ts";

/**
 * Makes an object active, or says that it is used again, now unless told; a range widens to cover what is shown
 * already.
 */
export function setActive(
  state: SessionState,
  id: ObjectId,
  range: LineRange | undefined,
  used: CallTime = currentCallTime(state),
): "now" | "already" {
  const known = state.active.get(id);
  const shown = known === undefined ? range : coveringRange(known.range, range);
  const isSame =
    known !== undefined &&
    known.range?.from === shown?.from &&
    known.range?.to === shown?.to &&
    known.used.turn === used.turn &&
    known.used.call === used.call;
  if (isSame) return "already";
  state.active.set(id, shown === undefined ? { used } : { used, range: shown });
  state.changed = true;
  return known === undefined ? "now" : "already";
}

/** Makes an object inactive and no longer pinned; says whether it was active. */
export function setInactive(scope: SessionScope, id: ObjectId): boolean {
  const { state, contents } = scope;
  const wasActive = state.active.delete(id);
  const wasPinned = state.pinned.delete(id);
  contents.delete(id);
  if (wasActive || wasPinned) state.changed = true;
  return wasActive;
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
