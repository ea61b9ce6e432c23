import type { JsonValue } from "@self-context-manager/objects";
import type { CostAccount } from "./cost-account.ts";

/**
 * Returns an account in its stored form: whole numbers without names, because every version of a session contains it.
 */
export function accountRow({
  estimated,
  append_only: appendOnly,
  reported,
  append_only_prompt: prompt,
}: CostAccount): readonly number[] {
  return [
    reported.calls,
    reported.input,
    reported.cache_read,
    reported.cache_write,
    estimated.calls,
    Math.round(estimated.cached),
    Math.round(estimated.fresh),
    Math.round(estimated.units),
    Math.round(appendOnly.cached),
    Math.round(appendOnly.fresh),
    Math.round(appendOnly.units),
    prompt,
  ];
}

/** Returns the account of a stored row, or undefined if there is no row. */
export function readAccountRow(row: JsonValue | undefined): CostAccount | undefined {
  if (!Array.isArray(row)) return undefined;
  const numbers = (row as readonly JsonValue[]).map(Number);
  const at = (index: number): number => numbers[index] ?? 0;
  return {
    reported: { calls: at(0), input: at(1), cache_read: at(2), cache_write: at(3) },
    estimated: { calls: at(4), cached: at(5), fresh: at(6), units: at(7) },
    append_only: { cached: at(8), fresh: at(9), units: at(10) },
    append_only_prompt: at(11),
  };
}
