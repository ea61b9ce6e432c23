import {
  type HostSession,
  type ObjectStore,
  openContextSession,
  type PriceProfile,
  type SessionDependencies,
  type ViewOptions,
} from "@self-context-manager/core";
import { openRehearsal } from "@self-context-manager/core/rehearsal";
import { defined, madeOnce } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { stat } from "node:fs/promises";

import { type Segment, segmentsOf } from "../corpus/segments.ts";
import { billedInput, tokensFound } from "../measure/billing.ts";
import { evidenceOf } from "../measure/evidence.ts";
import { type ReplayPrices, replayPrices } from "../measure/prices.ts";
import { type ReplayOptions, replaySegment, type SegmentTrace } from "../measure/replay-segment.ts";
import {
  addFigures,
  type SessionFigures,
  type StrategyFigures,
  sumOf,
} from "../measure/session-figures.ts";
import { countTokens } from "../measure/tokens.ts";
import { type CallTrace, tracedCalls } from "../measure/trace.ts";
import type { RecordedSession } from "../read/recorded-session.ts";
import { callClock } from "./call-clock.ts";
import { fullRun, replayDependencies } from "./full-run.ts";
import { messageCounter } from "./message-counter.ts";
import { type SegmentSource, sessionRun } from "./session-run.ts";
import {
  defaultParts,
  isMeasured,
  strategies,
  type Strategy,
  type StrategyName,
} from "./strategies.ts";

/** A strategy's passes over a segment. */
interface Passes {
  readonly plain: SegmentTrace;
  /** The model asks for the objects with missed evidence. */
  readonly charged: SegmentTrace;
  /** The model asks for lines of these objects. */
  readonly ranged: SegmentTrace;
  /** The model asks for these objects, and for the talk that it quotes and does not see. */
  readonly talking: SegmentTrace;
}

interface SegmentFigures {
  readonly profiles: Record<string, Record<string, StrategyFigures>>;
  readonly callCosts: Record<string, readonly number[]>;
}

/** The result of a full run of a session. */
export interface StoredRun {
  /** The duration of each call, in milliseconds. */
  readonly times: readonly number[];
  /** Bytes of its store. */
  readonly bytes: number;
}

/**
 * Runs the segments of a session in full, into a new SQLite store, under the default strategy. Resolves to undefined if
 * no segment has two calls.
 */
export async function storeSession(
  session: RecordedSession,
  path: string,
  given: Pick<SessionDependencies, "mask"> = {},
): Promise<StoredRun | undefined> {
  const segments = segmentsOf(session);
  if (segments.length === 0) return undefined;
  const times: number[] = [];
  {
    await using store = await openSqliteStore({ path });
    const dependencies = { ...replayDependencies(store, defaultParts()), ...given };
    for (const [index, { rows }] of segments.entries()) {
      const running = await openContextSession(dependencies, hostOf(session, index));
      const options = viewOptions(firstPrices());
      for await (const { time } of fullRun(running, rows, options)) times.push(time);
    }
  }
  return { times, bytes: (await stat(path)).size };
}

/** Replays a stored session under every strategy and price profile, with the objects of its store. */
export async function measureSession(
  session: RecordedSession,
  path: string,
  { times, bytes }: StoredRun,
): Promise<SessionFigures> {
  const segments = segmentsOf(session);
  const measured: SegmentFigures[] = [];
  await using store = await openSqliteStore({ path });
  for (const [index, segment] of segments.entries())
    measured.push(await measureSegment(store, hostOf(session, index), segment));
  return {
    name: session.name,
    segments: segments.length,
    calls: sumOf(segments, ({ calls }) => calls),
    tokens: sumOf(
      segments.flatMap(({ rows }) => rows),
      countTokens,
    ),
    ...combined(measured),
    times,
    storeBytes: bytes,
    transcriptBytes: sumOf(session.rows, (row) => Buffer.byteLength(JSON.stringify(row)) + 1),
  };
}

function hostOf({ name }: RecordedSession, segment: number): HostSession {
  return { harness: "replay", sessionId: `${name}#${segment}` };
}

/** The price profile under which a replay makes its views. */
export function firstPrices(): ReplayPrices {
  const [first] = replayPrices;
  if (first === undefined) throw new TypeError("there is no price profile");
  return first;
}

async function measureSegment(
  store: ObjectStore,
  host: HostSession,
  segment: Segment,
): Promise<SegmentFigures> {
  const { rows } = segment;
  const evidence = evidenceOf(rows);
  const counter = messageCounter();
  const dependencies = replayDependencies(store, defaultParts());
  const stored = await openRehearsal(dependencies, host);
  const source: SegmentSource = {
    stored,
    evidence,
    counter,
    times: rows.flatMap((row) => (row.role === "assistant" ? [row.timestamp] : [])),
  };
  const profiles: Record<string, Record<string, StrategyFigures>> = {};
  const callCosts: Record<string, readonly number[]> = {};
  for (const strategy of strategies) {
    const known = new Map<string, Passes>();
    for (const prices of replayPrices) {
      if (!isMeasured(strategy.name, prices.name)) continue;
      const key = strategy.seesPrices ? decisionKey(prices) : "";
      let passes = known.get(key);
      if (passes === undefined) {
        passes = await allPasses(dependencies, strategy, source, segment, prices);
        known.set(key, passes);
      }
      const named = (profiles[prices.name] ??= {});
      named[strategy.name] = figuresOf(passes, prices, strategy);
      if (prices === firstPrices())
        callCosts[strategy.name] = costsOf(passes.plain, prices, strategy);
    }
  }
  return { profiles, callCosts };
}

async function allPasses(
  dependencies: SessionDependencies,
  strategy: Strategy,
  source: SegmentSource,
  { rows, calls }: Segment,
  prices: ReplayPrices,
): Promise<Passes> {
  const pass = async (options: ReplayOptions = {}): Promise<SegmentTrace> => {
    const { hooks, ...parts } = strategy.parts(source, rows);
    const clock = callClock(source.times);
    const rehearsal = source.stored.begin({ ...dependencies, ...parts, clock });
    const { hasTools } = strategy;
    const run = sessionRun(
      source,
      clock.following(rehearsal),
      viewOptions(prices),
      defined({ hooks, hasTools }),
    );
    return await replaySegment(run, calls, source.evidence, options);
  };
  const plain = await pass();
  // Without a miss the model asks for nothing.
  const hasMissed = plain.miss.missedPlus > 0;
  const charged = hasMissed ? await pass({ charge: "objects" }) : plain;
  const ranged = hasMissed ? await pass({ charge: "lines" }) : plain;
  const talking = plain.miss.talkMissed > 0 ? await pass({ charge: "objects-and-talk" }) : charged;
  return { plain, charged, ranged, talking };
}

/** The key of profiles under which epochs end at the same calls, because the rule compares write and read price. */
function decisionKey({ read, write, caching, breakpoints, lifetime }: ReplayPrices): string {
  const ratio = ((write - read) / read).toFixed(6);
  return [ratio, caching, breakpoints, lifetime].join(" ");
}

/** The options of a view under prices. */
export function viewOptions({
  read,
  write,
  caching,
  breakpoints,
  lifetime,
}: ReplayPrices): ViewOptions {
  const prices: PriceProfile = {
    read,
    write,
    ...defined({ lifetime }),
    minimum: 0,
    tiers: [],
    caching,
    source: "host",
  };
  return { prices, breakpoints: breakpoints ?? "own" };
}

function figuresOf(
  { plain, charged, ranged, talking }: Passes,
  prices: ReplayPrices,
  { billing }: Strategy,
): StrategyFigures {
  const { miss } = plain;
  const calls = callsOf(plain, prices);
  const cost = (trace: SegmentTrace): number =>
    billedInput(callsOf(trace, prices), prices, billing);
  return {
    cost: cost(plain),
    chargedCost: cost(charged),
    rangedCost: cost(ranged),
    talkingCost: cost(talking),
    miss,
    tokens: sumOf(calls, ({ tokens }) => tokens),
    cached: sumOf(calls, ({ cached }) => tokensFound(cached, prices, billing)),
    peak: Math.max(0, ...calls.map(({ tokens }) => tokens)),
    epochs: calls.filter(({ isExtension }) => !isExtension).length,
  };
}

const traced = new WeakMap<SegmentTrace, Map<number | undefined, readonly CallTrace[]>>();

/** Returns the calls of a pass as the cache of a profile sees them. */
function callsOf(trace: SegmentTrace, { lifetime }: ReplayPrices): readonly CallTrace[] {
  const known = madeOnce(traced, trace, () => new Map<number | undefined, readonly CallTrace[]>());
  return madeOnce(known, lifetime, () => tracedCalls(trace.requests, lifetime));
}

function costsOf(trace: SegmentTrace, prices: ReplayPrices, strategy: Strategy): readonly number[] {
  const calls = callsOf(trace, prices);
  return calls.map((_, index) => callCost(calls, index, prices, strategy));
}

function callCost(
  calls: readonly CallTrace[],
  index: number,
  prices: ReplayPrices,
  { billing }: Strategy,
): number {
  // The part of a prompt that a call writes may depend on what the next call reads.
  const both = billedInput(calls.slice(index, index + 2), prices, billing);
  const next = calls[index + 1];
  return next === undefined ? both : both - billedInput([next], prices, billing);
}

function combined(
  segments: readonly SegmentFigures[],
): Pick<SessionFigures, "profiles" | "callCosts"> {
  const profiles: Record<string, Record<StrategyName, StrategyFigures>> = {};
  const callCosts = {} as Record<StrategyName, readonly number[]>;
  for (const { name: strategy } of strategies) {
    callCosts[strategy] = segments.flatMap((segment) => segment.callCosts[strategy] ?? []);
    for (const { name } of replayPrices) {
      if (!isMeasured(strategy, name)) continue;
      const parts = segments.flatMap((segment) => segment.profiles[name]?.[strategy] ?? []);
      const named = (profiles[name] ??= {} as Record<StrategyName, StrategyFigures>);
      named[strategy] = addFigures(parts);
    }
  }
  return { profiles, callCosts };
}
