import type { JsonValue } from "@self-context-manager/objects";
import type { CostAccount, WaitingCall } from "./cost-account.ts";

/**
 * Returns an account in its stored form: numbers without names, because every version of a session contains it. The last
 * eleven are those of a call without an answer, if there is one. All but prices are whole numbers.
 */
export function accountRow(account: CostAccount): readonly number[] {
  const { estimated, billed, plain, reported, missed, plain_prompt: prompt, waiting } = account;
  return [
    reported.calls,
    reported.input,
    reported.cache_read,
    reported.cache_write,
    estimated.calls,
    Math.round(estimated.cached),
    Math.round(estimated.fresh),
    Math.round(estimated.units),
    Math.round(plain.cached),
    Math.round(plain.fresh),
    Math.round(plain.units),
    Math.round(prompt.estimated),
    Math.round(prompt.reported),
    plain.calls,
    Math.round(billed.units),
    missed.calls,
    Math.round(missed.tokens),
    ...(waiting === undefined ? [] : waitingRow(waiting)),
  ];
}

function waitingRow(waiting: WaitingCall): readonly number[] {
  const { profile } = waiting;
  return [
    Math.round(waiting.cached),
    Math.round(waiting.fresh),
    Math.round(waiting.units),
    Math.round(waiting.difference),
    Math.round(waiting.plainTokens),
    Math.round(waiting.plainFresh),
    Math.round(waiting.plainEstimated),
    waiting.isCold ? 1 : 0,
    profile.caching === "none" ? 1 : profile.read,
    profile.caching === "none" ? 1 : profile.write,
    profile.minimum,
  ];
}

/**
 * Returns the account of a stored row, or undefined if there is no row. A call without an answer is read without the price
 * tiers of its model.
 */
export function readAccountRow(row: JsonValue | undefined): CostAccount | undefined {
  if (!Array.isArray(row)) return undefined;
  const numbers = (row as readonly JsonValue[]).map(Number);
  const at = (index: number): number => numbers[index] ?? 0;
  return {
    reported: { calls: at(0), input: at(1), cache_read: at(2), cache_write: at(3) },
    estimated: { calls: at(4), cached: at(5), fresh: at(6), units: at(7) },
    plain: { calls: at(13), cached: at(8), fresh: at(9), units: at(10) },
    plain_prompt: { estimated: at(11), reported: at(12) },
    billed: { units: at(14) },
    missed: { calls: at(15), tokens: at(16) },
    ...(numbers.length > 17 ? { waiting: waitingIn(numbers.slice(17)) } : {}),
  };
}

function waitingIn(numbers: readonly number[]): WaitingCall {
  const [cached = 0, fresh = 0, units = 0, difference = 0, ...more] = numbers;
  const [plainTokens = 0, plainFresh = 0, plainEstimated = 0, cold = 0, ...prices] = more;
  const [read = 1, write = 1, minimum = 0] = prices;
  const caching = read === 1 && write === 1 ? "none" : "automatic";
  return {
    cached,
    fresh,
    units,
    difference,
    plainTokens,
    plainFresh,
    plainEstimated,
    isCold: cold === 1,
    profile: { read, write, minimum, tiers: [], caching, source: "table" },
  };
}
