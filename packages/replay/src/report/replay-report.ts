import { replayPrices } from "../measure/prices.ts";
import { addFigures, type SessionFigures, sumOf } from "../measure/session-figures.ts";
import {
  type ByStrategy,
  isMeasured,
  type StrategyName,
  strategyNames,
} from "../strategies/strategies.ts";

/** The names of the shares of what was missed. */
type MissShare =
  | "evidenceMiss"
  | "evidenceMissPlus"
  | "sharpMiss"
  | "sharpMissPlus"
  | "gramMiss"
  | "talkMiss"
  | "talkSharpMiss";

/** The figures of one strategy under one price profile. Ratios are fractions. */
export interface StrategyReport {
  /** Billed input divided by that of `append-only`, summed over sessions. */
  readonly costRatio: number;
  /** The same if the model asks for missed evidence. */
  readonly chargedCostRatio: number;
  /** The same if it asks only for the lines around the missed evidence. */
  readonly chargedByRangeRatio: number;
  /** The same as `chargedCostRatio` if it also asks for the talk that it quotes and does not see. */
  readonly chargedWithTalkRatio: number;
  /** Messages with an evidence miss, divided by the messages that quote a tool's result. */
  readonly evidenceMiss: number;
  /** The same, with large arguments as objects in addition to results. */
  readonly evidenceMissPlus: number;
  /** Messages that miss sharp evidence, divided by the messages that need it. */
  readonly sharpMiss: number;
  /** The same, with large arguments as objects in addition to results. */
  readonly sharpMissPlus: number;
  /** The share of the quoted 8-grams that were missed. */
  readonly gramMiss: number;
  /** Messages that quote arguments, answers or thinking which were not in view, divided by those that quote any. */
  readonly talkMiss: number;
  /** The same, counting only sharp evidence. */
  readonly talkSharpMiss: number;
  /** What these seven shares are of: messages, and 8-grams. A share of nothing is 0. */
  readonly counted: Readonly<Record<MissShare, number>>;
  /** Input from the cache, divided by all input. */
  readonly prefixHit: number;
  /** Mean tokens of a prompt, over calls. */
  readonly meanTokens: number;
  /** Mean tokens of a session's longest prompt, over sessions. */
  readonly peakTokens: number;
  /** Prompts for each session that do not begin with the whole previous prompt. */
  readonly epochs: number;
  /** The median of the sessions' cost ratios. */
  readonly median: number;
  /** The most expensive session with at least 20 calls; absent if there is none. */
  readonly worst?: { readonly session: string; readonly costRatio: number };
}

/** The results of a replay. */
export interface ReplayReport {
  readonly corpus: {
    readonly sessions: number;
    readonly segments: number;
    readonly calls: number;
    readonly tokens: number;
  };
  /** The billed input of `append-only` in profile A, in tokens at the plain input price. */
  readonly plainCost: number;
  readonly profiles: Readonly<Record<string, ByStrategy<StrategyReport>>>;
  /** The time for ingesting a call's messages and making its view, in milliseconds. */
  readonly time: { readonly p50: number; readonly p95: number; readonly max: number };
  /** The bytes of the stores, compared with those of the sessions in the neutral format. */
  readonly store: {
    readonly kind: string;
    readonly bytes: number;
    readonly transcriptBytes: number;
    readonly ratio: number;
  };
}

/** Shorter sessions do not show the worst case: a single rewrite dominates their cost. */
const longEnough = 20;

/** Adds up the figures of sessions. */
export function replayReport(sessions: readonly SessionFigures[]): ReplayReport {
  const times = sessions.flatMap((session) => session.times).toSorted((a, b) => a - b);
  const bytes = sumOf(sessions, ({ storeBytes }) => storeBytes);
  const transcriptBytes = sumOf(sessions, (session) => session.transcriptBytes);
  return {
    corpus: {
      sessions: sessions.length,
      segments: sumOf(sessions, ({ segments }) => segments),
      calls: sumOf(sessions, ({ calls }) => calls),
      tokens: sumOf(sessions, ({ tokens }) => tokens),
    },
    plainCost: sumOf(sessions, ({ profiles }) => profiles["A"]?.["append-only"].cost ?? 0),
    profiles: Object.fromEntries(
      replayPrices.map(({ name }) => [
        name,
        Object.fromEntries(
          strategyNames
            .filter((strategy) => isMeasured(strategy, name))
            .map((strategy) => [strategy, strategyReport(sessions, name, strategy)]),
        ) as unknown as ByStrategy<StrategyReport>,
      ]),
    ),
    time: { p50: quantile(times, 0.5), p95: quantile(times, 0.95), max: times.at(-1) ?? 0 },
    store: { kind: "sqlite", bytes, transcriptBytes, ratio: ratio(bytes, transcriptBytes) },
  };
}

function strategyReport(
  sessions: readonly SessionFigures[],
  profile: string,
  strategy: StrategyName,
): StrategyReport {
  const rows = sessions.flatMap((session) => {
    const figures = session.profiles[profile]?.[strategy];
    const base = session.profiles[profile]?.["append-only"];
    if (figures === undefined || base === undefined) return [];
    return [{ session, figures, base, costRatio: ratio(figures.cost, base.cost) }];
  });
  const total = addFigures(rows.map(({ figures }) => figures));
  const base = sumOf(rows, (row) => row.base.cost);
  const { miss } = total;
  const ratios = rows.map(({ costRatio }) => costRatio).toSorted((a, b) => a - b);
  const [worst] = rows
    .filter(({ session }) => session.calls >= longEnough)
    .toSorted((a, b) => b.costRatio - a.costRatio);
  return {
    costRatio: ratio(total.cost, base),
    chargedCostRatio: ratio(total.chargedCost, base),
    chargedByRangeRatio: ratio(total.rangedCost, base),
    chargedWithTalkRatio: ratio(total.talkingCost, base),
    evidenceMiss: ratio(miss.missed, miss.used),
    evidenceMissPlus: ratio(miss.missedPlus, miss.usedPlus),
    sharpMiss: ratio(miss.sharpMissed, miss.sharpUsed),
    sharpMissPlus: ratio(miss.sharpMissedPlus, miss.sharpUsedPlus),
    gramMiss: ratio(miss.missedGrams, miss.grams),
    talkMiss: ratio(miss.talkMissed, miss.talkUsed),
    talkSharpMiss: ratio(miss.talkSharpMissed, miss.talkSharpUsed),
    counted: {
      evidenceMiss: miss.used,
      evidenceMissPlus: miss.usedPlus,
      sharpMiss: miss.sharpUsed,
      sharpMissPlus: miss.sharpUsedPlus,
      gramMiss: miss.grams,
      talkMiss: miss.talkUsed,
      talkSharpMiss: miss.talkSharpUsed,
    },
    prefixHit: ratio(total.cached, total.tokens),
    meanTokens: ratio(
      total.tokens,
      sumOf(sessions, ({ calls }) => calls),
    ),
    peakTokens: ratio(
      sumOf(rows, ({ figures }) => figures.peak),
      rows.length,
    ),
    epochs: ratio(total.epochs, rows.length),
    median: quantile(ratios, 0.5),
    ...(worst === undefined
      ? {}
      : { worst: { session: worst.session.name, costRatio: worst.costRatio } }),
  };
}

/** A quotient; 0 if the divisor is 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
