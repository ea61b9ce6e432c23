import { defined, type LineRange, type ObjectId } from "@self-context-manager/objects";
import type { CallTime } from "../policy/activation-policy.ts";
import type { SessionScope } from "./session-scope.ts";
import type { SessionState } from "./session-state.ts";

export interface ActivationOptions {
  /** Default: now. */
  readonly used?: CallTime;
  /** Whether the model or the user asked for the object. Default: true. */
  readonly isAsked?: boolean;
  /** The version of a file to show. Lines of another version are no longer active then. Default: the present one. */
  readonly version?: number;
  /** Whether the object becomes the newest one, and shows nothing but this range. Default: false. */
  readonly replaces?: boolean;
}

/**
 * Activates an object or records its use (default: now). The lines of the range are added to those that are already
 * shown. Returns whether the object became active now or was active already.
 */
export function setActive(
  state: SessionState,
  id: ObjectId,
  range: LineRange | undefined,
  { used = state.chat.now(), isAsked = true, ...rest }: ActivationOptions = {},
): "now" | "already" {
  const handle = state.pool.get(id)?.handle;
  if (handle !== undefined) state.uses.use(handle);
  const lines = defined({ range });
  return state.active.activate(id, { used, isAsked, ...lines, ...rest });
}

/**
 * Removes an object from the active set for a policy or a layout. Its place in the order of use is kept. Returns
 * whether it was active.
 */
export function leaveActive({ state, contents }: SessionScope, id: ObjectId): boolean {
  contents.delete(id);
  return state.active.leave(id);
}

/**
 * Makes an object inactive and unpins it, because the model or the user asked for it. It leaves the order of use.
 * Returns whether it was active.
 */
export function setInactive(scope: SessionScope, id: ObjectId): boolean {
  const { state } = scope;
  const handle = state.pool.get(id)?.handle;
  if (handle !== undefined) state.uses.forget(handle);
  return leaveActive(scope, id);
}
