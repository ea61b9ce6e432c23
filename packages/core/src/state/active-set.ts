import { type LineRange, type ObjectId, withRange } from "@self-context-manager/objects";
import type { CallTime } from "../policy/activation-policy.ts";
import type { SessionScope } from "./session-scope.ts";
import { currentCallTime, type SessionState } from "./session-state.ts";
import { forgetUse, noteUse } from "./use-order.ts";

export interface ActivationOptions {
  /** Default: now. */
  readonly used?: CallTime;
  /** Whether the model or the user asked for the object. Default: true. */
  readonly isAsked?: boolean;
  /** The version of a file to show. Lines of another version are no longer active then. Default: the present one. */
  readonly version?: number;
}

/**
 * Activates an object or records its use (default: now). The lines of the range are added to those that are already
 * shown. Returns whether the object became active now or was active already.
 */
export function setActive(
  state: SessionState,
  id: ObjectId,
  range: LineRange | undefined,
  options: ActivationOptions = {},
): "now" | "already" {
  const { used = currentCallTime(state), isAsked = true } = options;
  const known = state.active.get(id);
  const version = options.version ?? known?.version;
  const isSameVersion = known !== undefined && known.version === version;
  const shown = withRange(isSameVersion ? known.ranges : [], range);
  const asked = isAsked || known?.asked === true ? ({ asked: true } as const) : {};
  const handle = state.pool.get(id)?.handle;
  if (handle !== undefined) noteUse(state, handle);
  if (isAsked || !state.unsent.has(id)) state.unsent.set(id, isAsked ? "asked" : "arrived");
  const isSame =
    isSameVersion &&
    (known.asked === true || !isAsked) &&
    areSameRanges(known.ranges, shown) &&
    known.used.turn === used.turn &&
    known.used.call === used.call;
  if (isSame) return "already";
  state.active.set(id, {
    used,
    ...(version === undefined ? {} : { version }),
    ...(shown === undefined ? {} : { ranges: shown }),
    ...asked,
  });
  state.changed = true;
  return known === undefined ? "now" : "already";
}

function areSameRanges(
  left: readonly LineRange[] | undefined,
  right: readonly LineRange[] | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.length === right.length &&
    left.every(({ from, to }, index) => from === right[index]?.from && to === right[index].to)
  );
}

/**
 * Removes an object from the active set for a policy or a layout. Its place in the order of use is kept. Returns
 * whether it was active.
 */
export function leaveActive({ state, contents }: SessionScope, id: ObjectId): boolean {
  const wasActive = state.active.delete(id);
  const wasPinned = state.pinned.delete(id);
  state.unsent.delete(id);
  contents.delete(id);
  if (wasActive || wasPinned) state.changed = true;
  return wasActive;
}

/**
 * Makes an object inactive and unpins it, because the model or the user asked for it. It leaves the order of use.
 * Returns whether it was active.
 */
export function setInactive(scope: SessionScope, id: ObjectId): boolean {
  const { state } = scope;
  const handle = state.pool.get(id)?.handle;
  if (handle !== undefined) forgetUse(state, handle);
  return leaveActive(scope, id);
}

/** Exempts an active object from the policy. Returns whether it was not pinned before. */
export function setPinned(state: SessionState, id: ObjectId): boolean {
  if (state.pinned.has(id)) return false;
  state.pinned.add(id);
  state.changed = true;
  return true;
}

/** Unpins an object, so that the policy applies to it again. Returns whether it was pinned. */
export function setUnpinned(state: SessionState, id: ObjectId): boolean {
  const wasPinned = state.pinned.delete(id);
  if (wasPinned) state.changed = true;
  return wasPinned;
}
