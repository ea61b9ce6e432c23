import type { SessionTimeline, TimelineCall } from "@self-context-manager/core/inspect";
import { billedOf } from "./billed.ts";
import {
  type CallPart,
  hostName,
  hostOfCalls,
  partName,
  type StackKind,
  walkCalls,
} from "./call-parts.ts";

/** What a part cost over a session. All figures are estimates, also where the cost that is divided was reported. */
export interface PartCost extends CallPart {
  /** The sum of its tokens over the calls; `tokens` is the largest in one call. */
  readonly tokenCalls: number;
  /** The calls in which it was in view, and the first and the last of them by their numbers. */
  readonly calls: number;
  readonly first: number;
  readonly last: number;
  /** Its share of the cost of all calls, in tokens of uncached input. */
  readonly units: number;
}

/** What all parts of a kind cost. */
export interface KindCost {
  readonly kind: StackKind;
  readonly parts: number;
  readonly tokenCalls: number;
  readonly units: number;
}

/** Adds up the costs of parts by kind, the highest cost first. */
export function kindCosts(costs: readonly PartCost[]): readonly KindCost[] {
  const sums = new Map<StackKind, KindCost>();
  for (const { kind, tokenCalls, units } of costs) {
    const sum = sums.get(kind) ?? { kind, parts: 0, tokenCalls: 0, units: 0 };
    sums.set(kind, {
      kind,
      parts: sum.parts + 1,
      tokenCalls: sum.tokenCalls + tokenCalls,
      units: sum.units + units,
    });
  }
  return [...sums.values()].sort((a, b) => b.units - a.units || b.tokenCalls - a.tokenCalls);
}

const hostPart = { kind: "host", name: hostName } as const;

/** The prices that explain the costs of the calls best, in tokens of uncached input. */
interface Prices {
  readonly cached: number;
  readonly fresh: number;
}

/**
 * Divides the cost of each call among its parts: tokens that are new in a part are billed as new first; what else was
 * billed as new is divided by the size of the parts. The sum of all parts is the sum of all calls.
 */
export function objectCosts(timeline: SessionTimeline): readonly PartCost[] {
  const { parts, calls, calibration } = timeline;
  const { factor } = calibration;
  const hostTokens = hostOfCalls(timeline);
  const prices = pricesOf(calls);
  const size = parts.length + 1;
  const host = parts.length;
  const before = new Float64Array(size);
  const now = new Float64Array(size);
  const sums = new Float64Array(size);
  const units = new Float64Array(size);
  const most = new Float64Array(size);
  const seen = new Uint32Array(size);
  const first = new Uint32Array(size);
  const last = new Uint32Array(size);
  walkCalls(timeline, (index, tokens) => {
    const call = calls[index];
    if (call === undefined || call.problem !== undefined) return;
    let total = 0;
    let grown = 0;
    for (let part = 0; part < size; part++) {
      const value = part === host ? (hostTokens[index] ?? 0) : (tokens[part] ?? 0) * factor;
      now[part] = value;
      total += value;
      grown += Math.max(0, value - (before[part] ?? 0));
      if (value === 0) continue;
      sums[part] = (sums[part] ?? 0) + value;
      if (value > (most[part] ?? 0)) most[part] = value;
      if (seen[part] === 0) first[part] = call.call;
      last[part] = call.call;
      seen[part] = (seen[part] ?? 0) + 1;
    }
    divide(call, { now, before, total, grown, prices }, units);
    before.set(now);
  });
  return Array.from({ length: size }, (_, part): PartCost => {
    const one = parts[part];
    return {
      ...(one === undefined ? hostPart : { part, kind: one.kind, name: partName(one) }),
      ...(one?.handle === undefined ? {} : { handle: one.handle }),
      ...(one?.id === undefined ? {} : { id: one.id }),
      tokens: most[part] ?? 0,
      tokenCalls: sums[part] ?? 0,
      calls: seen[part] ?? 0,
      first: first[part] ?? 0,
      last: last[part] ?? 0,
      units: units[part] ?? 0,
    };
  }).filter(({ calls: inView }) => inView > 0);
}

interface CallTokens {
  readonly now: Float64Array;
  readonly before: Float64Array;
  readonly total: number;
  readonly grown: number;
  readonly prices: Prices;
}

function divide(call: TimelineCall, tokens: CallTokens, units: Float64Array): void {
  const { now, before, total, grown, prices } = tokens;
  const cost = billedOf(call);
  if (cost === undefined || total === 0) return;
  const { cached, fresh } = cost;
  const billed = cached + fresh;
  // The parts' sum and the billed sum are two figures of the same prompt.
  const freshTokens = billed === 0 ? 0 : (fresh / billed) * total;
  const newShare = grown === 0 ? 0 : Math.min(1, freshTokens / grown);
  const rest = total - grown;
  const oldShare = rest <= 0 ? 0 : Math.max(0, freshTokens - grown) / rest;
  const priceOf = (part: number): number => {
    const value = now[part] ?? 0;
    const added = Math.max(0, value - (before[part] ?? 0));
    const asNew = added * newShare + (value - added) * oldShare;
    return asNew * prices.fresh + (value - asNew) * prices.cached;
  };
  let sum = 0;
  for (let part = 0; part < now.length; part++) sum += priceOf(part);
  const scale = sum === 0 ? 0 : cost.units / sum;
  for (let part = 0; part < now.length; part++)
    units[part] = (units[part] ?? 0) + priceOf(part) * scale;
}

/** The prices of cached and new tokens by least squares; usual ones if the calls do not show them. */
function pricesOf(calls: readonly TimelineCall[]): Prices {
  let [cc, cf, ff, cu, fu] = [0, 0, 0, 0, 0];
  for (const call of calls) {
    const cost = billedOf(call);
    if (cost === undefined) continue;
    const { cached, fresh, units } = cost;
    cc += cached * cached;
    cf += cached * fresh;
    ff += fresh * fresh;
    cu += cached * units;
    fu += fresh * units;
  }
  const determinant = cc * ff - cf * cf;
  const usual = { cached: 0.1, fresh: 1.25 };
  if (determinant <= cc * ff * 1e-9) return usual;
  const cached = (cu * ff - fu * cf) / determinant;
  const fresh = (fu * cc - cu * cf) / determinant;
  return cached >= 0 && fresh > 0 ? { cached, fresh } : usual;
}
