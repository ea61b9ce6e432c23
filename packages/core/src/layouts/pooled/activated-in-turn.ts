import { isReference } from "@self-context-manager/objects";
import { filesRead } from "../../calls/toolcall-object.ts";
import { isAssistantStep, type Turn } from "../../chat/turn.ts";
import type { ActiveObject, LayoutInput } from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";

/** The handles of the objects that go before older turns, apart from the pinned ones. */
export interface Activated {
  /** Those that were just activated. */
  readonly just: readonly string[];
  /** Those that were activated earlier in the same turn. */
  readonly earlier: readonly string[];
}

/** What the last view had: its active objects, and its place in the chat. */
export interface LastActive extends Activated {
  readonly active: readonly { readonly of: string; readonly ranges?: ActiveObject["ranges"] }[];
  readonly turns: number;
  readonly steps: number;
}

/**
 * Returns the objects that were activated in the current turn. Just activated are those that the last view did not
 * have, or not with these lines, and those that calls since have read or activated. If there are none, the last ones
 * remain, so that a request that is sent again is the same.
 */
export function activatedInTurn(input: LayoutInput, last: LastActive | undefined): Activated {
  const rows = new Map(last?.active.map((row) => [row.of, row]));
  const targets = targetsSince(input, last);
  const isNew = ({ entry, ranges }: ActiveObject): boolean => {
    const row = rows.get(entry.handle);
    const isSame = row !== undefined && JSON.stringify(row.ranges) === JSON.stringify(ranges);
    return !isSame || targets.has(entry.id);
  };
  const found = input.active.filter(isNew).map(({ entry }) => entry.handle);
  if (last?.turns !== input.turns.length) return { just: found, earlier: [] };
  if (found.length === 0) return { just: last.just, earlier: last.earlier };
  const before = new Set([...last.earlier, ...last.just]);
  const handles = input.active.map(({ entry }) => entry.handle);
  return { just: found, earlier: handles.filter((of) => before.has(of) && !found.includes(of)) };
}

/** Returns the ids of the objects that the calls since the last view have read or activated. */
function targetsSince(
  { turns, pool }: LayoutInput,
  last: LastActive | undefined,
): ReadonlySet<string> {
  if (last === undefined) return new Set();
  const from = Math.max(0, last.turns - 1);
  const ids = turns
    .slice(from)
    .flatMap((turn, index) => callsOf(turn, index === 0 && last.turns > 0 ? last.steps : 0))
    .flatMap((id) => targetsOf(pool.get(id)));
  return new Set(ids);
}

function callsOf({ steps }: Turn, from: number): readonly PoolEntry["id"][] {
  return steps.slice(from).flatMap((step) => (isAssistantStep(step) ? step.toolcall_ids : []));
}

function targetsOf(call: PoolEntry | undefined): readonly string[] {
  if (call === undefined) return [];
  const { body } = call.stored;
  const targets = body["target_refs"];
  const shown = Array.isArray(targets) ? targets.filter(isReference) : [];
  return [...shown, ...filesRead(body)].map(({ id }) => id);
}
