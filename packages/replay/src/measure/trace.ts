import type { CallView, OwnCall, Part } from "./call-view.ts";
import type { Breakpoints } from "./prices.ts";

/** How many blocks before a breakpoint a provider searches for an earlier cache entry. */
const lookback = 20;

/** An object that the model asked for before a call. */
export interface Charge {
  /** Tokens of the prompt at the time of the request. */
  readonly prompt: number;
  /** Tokens that the request added to the prompt. */
  readonly content: number;
}

/** The tokens that one model call sent, and how many of them a cache could have held. */
export interface CallTrace {
  readonly tokens: number;
  /** Tokens that earlier calls had written to the cache, by the place of the breakpoints. */
  readonly cached: Readonly<Record<Breakpoints, number>>;
  /** Tokens of the first blocks, as many as the previous prompt had. */
  readonly kept: number;
  /** Whether the prompt begins with the whole previous prompt. */
  readonly isExtension: boolean;
  readonly ownCalls: readonly OwnCall[];
  readonly charges: readonly Charge[];
}

/** Follows the prompts of a segment. Its result does not depend on prices, except for the cache's lifetime. */
export interface Tracer {
  add(view: CallView, charges?: readonly Charge[]): void;
  readonly calls: readonly CallTrace[];
}

/** A tracer whose cache drops entries `lifetime` milliseconds after their last use; default: never. */
export function tracer(lifetime: number = Number.POSITIVE_INFINITY): Tracer {
  const calls: CallTrace[] = [];
  let former: readonly Part[] = [];
  let formerTime: number | undefined;
  // The block counts at which earlier prompts ended, as far as those prompts are a beginning of the previous one.
  let ends: number[] = [];
  return {
    calls,
    add(view, charges = []) {
      const { parts, ownCalls = [], time } = view;
      const isCold = time !== undefined && formerTime !== undefined && time - formerTime > lifetime;
      if (isCold) ends = [];
      const common = isCold ? 0 : commonParts(former, parts);
      ends = ends.filter((end) => end <= common);
      const system = common > 0 ? tokensOf(parts, 1) : 0;
      const lastEnd = ends.at(-1);
      const isFound = lastEnd !== undefined && parts.length - lastEnd <= lookback;
      calls.push({
        tokens: tokensOf(parts, parts.length),
        cached: {
          free: tokensOf(parts, common),
          host: isFound ? tokensOf(parts, lastEnd) : system,
          own: lastEnd === undefined ? system : tokensOf(parts, lastEnd),
        },
        kept: isCold ? 0 : tokensOf(parts, Math.min(former.length, parts.length)),
        isExtension: commonParts(former, parts) === former.length,
        ownCalls,
        charges,
      });
      ends.push(parts.length);
      former = parts;
      formerTime = time ?? formerTime;
    },
  };
}

function commonParts(former: readonly Part[], parts: readonly Part[]): number {
  let at = 0;
  while (at < former.length && at < parts.length && former[at]?.key === parts[at]?.key) at += 1;
  return at;
}

function tokensOf(parts: readonly Part[], count: number): number {
  let sum = 0;
  for (let at = 0; at < count; at += 1) sum += parts[at]?.tokens ?? 0;
  return sum;
}
