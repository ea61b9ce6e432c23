import type { SessionTimeline, TimelineCall } from "@self-context-manager/core/inspect";
import { billedOf } from "./billed.ts";

/** Cost of the calls so far, by the number of calls. */
export interface CostSums {
  readonly units: number;
  readonly plainUnits: number;
  readonly calls: number;
}

/** What all calls cost, as reported or else as estimated, and what the same work would cost in the plain host. */
export function costSums(calls: readonly TimelineCall[]): CostSums {
  let [units, plainUnits, counted] = [0, 0, 0];
  for (const call of calls) {
    const { cost } = call;
    if (cost === undefined) continue;
    counted++;
    units += billedOf(call)?.units ?? 0;
    plainUnits += cost.plainUnits;
  }
  return { units, plainUnits, calls: counted };
}

/** Tokens that were sent again as new, by their reason, the largest first. */
export function missSums(
  calls: readonly TimelineCall[],
): readonly { readonly reason: string; readonly tokens: number; readonly calls: number }[] {
  const sums = new Map<string, { tokens: number; calls: number }>();
  for (const { miss } of calls) {
    if (miss === undefined) continue;
    const sum = sums.get(miss.reason) ?? { tokens: 0, calls: 0 };
    sums.set(miss.reason, { tokens: sum.tokens + miss.tokens, calls: sum.calls + 1 });
  }
  return [...sums].map(([reason, sum]) => ({ reason, ...sum })).sort((a, b) => b.tokens - a.tokens);
}

/** An epoch of a session, by its calls. */
export interface EpochRow {
  readonly number: number;
  readonly first: number;
  readonly last: number;
  /** Why the epoch before it ended; undefined for the first one. */
  readonly startedBecause?: string;
  /** The objects that left the view at its beginning. */
  readonly left: readonly string[];
  /** Tokens of its last call, as the provider would count them. */
  readonly tokens: number;
}

/** The epochs of a session in order; empty for a layout without epochs. `totals`: the tokens of each call by its index. */
export function epochRows(
  { calls }: Pick<SessionTimeline, "calls">,
  totals: ArrayLike<number>,
): readonly EpochRow[] {
  const rows: EpochRow[] = [];
  for (const [index, { call, epoch }] of calls.entries()) {
    if (epoch === undefined) continue;
    const tokens = totals[index] ?? 0;
    const last = rows.at(-1);
    if (last?.number === epoch.number) {
      rows[rows.length - 1] = { ...last, last: call, tokens };
      continue;
    }
    rows.push({
      number: epoch.number,
      first: call,
      last: call,
      ...(epoch.endedBy === undefined ? {} : { startedBecause: epoch.endedBy }),
      left: epoch.left,
      tokens,
    });
  }
  return rows;
}
