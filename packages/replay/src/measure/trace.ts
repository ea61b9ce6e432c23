import type { CallView, OwnCall, Part } from "./call-view.ts";
import type { Breakpoints } from "./prices.ts";

/** How far back from a breakpoint a provider looks for what was written before, in blocks. */
const lookback = 20;

/** An object that the model asked for before a call. */
export interface Charge {
  /** Tokens of the prompt as it was when it asked. */
  readonly prompt: number;
  /** Tokens that asking added to it. */
  readonly content: number;
}

/** What one model call sent, and how much of it a cache could have had. */
export interface CallTrace {
  readonly tokens: number;
  /** Tokens that earlier calls left in the cache, by where the breakpoints are. */
  readonly cached: Readonly<Record<Breakpoints, number>>;
  /** Tokens of the blocks that stand where the former prompt had some: what it had, and what is left of it. */
  readonly kept: number;
  /** Whether the prompt is the former one with something after it. */
  readonly isExtension: boolean;
  readonly ownCalls: readonly OwnCall[];
  readonly charges: readonly Charge[];
}

/** Follows the prompts of a segment. Nothing in it depends on prices, but for the cache's lifetime. */
export interface Tracer {
  add(view: CallView, charges?: readonly Charge[]): void;
  readonly calls: readonly CallTrace[];
}

/** A tracer whose cache forgets what was not used for `lifetime` milliseconds. Default: it forgets nothing. */
export function tracer(lifetime: number = Number.POSITIVE_INFINITY): Tracer {
  const calls: CallTrace[] = [];
  let former: readonly Part[] = [];
  let formerTime: number | undefined;
  // Numbers of blocks at which earlier prompts ended, of those that are a beginning of the former prompt.
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
