import type { StrategyName } from "../strategies/strategies.ts";
import type { MissCounts } from "./replay-segment.ts";

/** What one strategy did in one session under one price profile. */
export interface StrategyFigures {
  /** Billed input, in tokens at the plain input price. */
  readonly cost: number;
  /** The same where the model asks for what it misses. */
  readonly chargedCost: number;
  readonly miss: MissCounts;
  /** Tokens of all prompts, and of those what the cache held. */
  readonly tokens: number;
  readonly cached: number;
  /** Tokens of the longest prompt. */
  readonly peak: number;
  /** How many prompts were not the one before with something after it. */
  readonly epochs: number;
}

/** What a replay measured in one session; plain data, to be sent between threads. */
export interface SessionFigures {
  readonly name: string;
  readonly segments: number;
  readonly calls: number;
  /** Tokens of all rows of its segments. */
  readonly tokens: number;
  /** By profile, then by strategy. */
  readonly profiles: Readonly<Record<string, Readonly<Record<StrategyName, StrategyFigures>>>>;
  /** Billed input of each call in profile A, by strategy. */
  readonly callCosts: Readonly<Record<StrategyName, readonly number[]>>;
  /** Of each call that ran the full way, in milliseconds. */
  readonly times: readonly number[];
  readonly storeBytes: number;
  /** Bytes of the session in the neutral form. */
  readonly transcriptBytes: number;
}

/** Adds up what parts of a session gave. */
export function addFigures(parts: readonly StrategyFigures[]): StrategyFigures {
  return {
    cost: sumOf(parts, ({ cost }) => cost),
    chargedCost: sumOf(parts, ({ chargedCost }) => chargedCost),
    miss: addMisses(parts.map(({ miss }) => miss)),
    tokens: sumOf(parts, ({ tokens }) => tokens),
    cached: sumOf(parts, ({ cached }) => cached),
    peak: Math.max(0, ...parts.map(({ peak }) => peak)),
    epochs: sumOf(parts, ({ epochs }) => epochs),
  };
}

/** Adds up misses. */
function addMisses(parts: readonly MissCounts[]): MissCounts {
  return {
    used: sumOf(parts, ({ used }) => used),
    missed: sumOf(parts, ({ missed }) => missed),
    grams: sumOf(parts, ({ grams }) => grams),
    missedGrams: sumOf(parts, ({ missedGrams }) => missedGrams),
    usedPlus: sumOf(parts, ({ usedPlus }) => usedPlus),
    missedPlus: sumOf(parts, ({ missedPlus }) => missedPlus),
    gramsPlus: sumOf(parts, ({ gramsPlus }) => gramsPlus),
    missedGramsPlus: sumOf(parts, ({ missedGramsPlus }) => missedGramsPlus),
  };
}

/** The sum of a number of each part. */
export function sumOf<Part>(parts: Iterable<Part>, value: (part: Part) => number): number {
  let sum = 0;
  for (const part of parts) sum += value(part);
  return sum;
}
