import type { ByStrategy, StrategyName } from "../strategies/strategies.ts";
import { addMisses, type MissCounts, noMisses } from "./replay-segment.ts";

/** The figures of one strategy in one session under one price profile. */
export interface StrategyFigures {
  /** Billed input, in tokens at the plain input price. */
  readonly cost: number;
  /** The same if the model asks for missed evidence. */
  readonly chargedCost: number;
  /** The same if it asks only for the lines around the missed evidence. */
  readonly rangedCost: number;
  /** The same if it asks for missed evidence, and for the talk that it quotes and does not see. */
  readonly talkingCost: number;
  readonly miss: MissCounts;
  /** Tokens of all prompts, and the part of them that the cache held. */
  readonly tokens: number;
  readonly cached: number;
  /** Tokens of the longest prompt. */
  readonly peak: number;
  /** The number of prompts that do not begin with the whole previous prompt. */
  readonly epochs: number;
}

/** The figures of a replay of one session; plain data, which can be sent between threads. */
export interface SessionFigures {
  readonly name: string;
  readonly segments: number;
  readonly calls: number;
  /** Tokens of all rows of its segments. */
  readonly tokens: number;
  /** By profile, then by strategy. */
  readonly profiles: Readonly<Record<string, ByStrategy<StrategyFigures>>>;
  /** Billed input of each call in profile A, by strategy. */
  readonly callCosts: Readonly<Record<StrategyName, readonly number[]>>;
  /** The duration of each call of the full run, in milliseconds. */
  readonly times: readonly number[];
  readonly storeBytes: number;
  /** Bytes of the session in the neutral format. */
  readonly transcriptBytes: number;
}

/** Adds up the figures of parts of a session. */
export function addFigures(parts: readonly StrategyFigures[]): StrategyFigures {
  return {
    cost: sumOf(parts, ({ cost }) => cost),
    chargedCost: sumOf(parts, ({ chargedCost }) => chargedCost),
    rangedCost: sumOf(parts, ({ rangedCost }) => rangedCost),
    talkingCost: sumOf(parts, ({ talkingCost }) => talkingCost),
    miss: parts.reduce((sum, { miss }) => addMisses(sum, miss), noMisses),
    tokens: sumOf(parts, ({ tokens }) => tokens),
    cached: sumOf(parts, ({ cached }) => cached),
    peak: Math.max(0, ...parts.map(({ peak }) => peak)),
    epochs: sumOf(parts, ({ epochs }) => epochs),
  };
}

/** The sum of one number of each part. */
export function sumOf<Part>(parts: Iterable<Part>, value: (part: Part) => number): number {
  let sum = 0;
  for (const part of parts) sum += value(part);
  return sum;
}
