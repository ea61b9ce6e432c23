import type { MeasuredCall, MeasuredText } from "./measure-surprise.ts";
import type { SampleCounts } from "./sample-calls.ts";
import { seededRandom } from "./seeded-random.ts";
import type { Quoting } from "./session-calls.ts";
import type { SurpriseView } from "./surprise-views.ts";

/** A difference in nats per token, with its 95 % interval. */
export interface SurpriseFigure {
  readonly calls: number;
  readonly sessions: number;
  /** The mean over calls; positive: the recorded answer is more surprising under this view than under the plain one. */
  readonly difference: number;
  /** The ends of the interval; null with fewer than 5 sessions. */
  readonly low: number | null;
  readonly high: number | null;
  /** The share of calls in which the difference is positive. */
  readonly worse: number;
}

/** The figures of one view. Groups without a call are left out. */
export interface ViewFigures {
  readonly all: SurpriseFigure;
  readonly kinds: Readonly<Record<string, SurpriseFigure>>;
  readonly left: Readonly<Record<string, SurpriseFigure>>;
  readonly quoting: Readonly<Record<string, SurpriseFigure>>;
}

export interface SurpriseReport {
  readonly model: string;
  readonly window: number;
  readonly seed: number;
  /** Recorded calls, and how many were not sampled for which reason. */
  readonly recorded: SampleCounts;
  /** Whether all calls that were asked for are measured. */
  readonly isComplete: boolean;
  readonly measured: { readonly calls: number; readonly sessions: number; readonly tokens: number };
  /** The mean surprise under the plain view, in nats per token. */
  readonly plainSurprise: number;
  readonly views: Readonly<Partial<Record<SurpriseView, ViewFigures>>>;
}

export interface ReportOptions {
  readonly model: string;
  readonly window: number;
  readonly seed: number;
  readonly recorded: SampleCounts;
  readonly isComplete: boolean;
}

/** Summarises measured calls; the seed determines the intervals too. */
export function surpriseReport(
  calls: readonly MeasuredCall[],
  options: ReportOptions,
): SurpriseReport {
  const names = new Set(calls.flatMap(({ views }) => [...views.keys()]));
  const figures = (rows: readonly Row[]): SurpriseFigure => figureOf(rows, options.seed);
  return {
    ...options,
    measured: {
      calls: calls.length,
      sessions: new Set(calls.map(({ session }) => session)).size,
      tokens: calls.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    plainSurprise: meanOf(calls.map(({ surprise }) => surprise)),
    views: Object.fromEntries(
      [...names].map((name) => {
        const rows = calls.flatMap((call): readonly Row[] => {
          const text = call.views.get(name);
          return text === undefined ? [] : [{ call, text }];
        });
        return [
          name,
          {
            all: figures(rows),
            kinds: grouped(rows, ({ call }) => call.kind, figures),
            left: grouped(rows, ({ text }) => sizeOf(text.left), figures, sizeNames),
            quoting: grouped(rows, ({ text }) => text.quoting, figures, quotingNames),
          } satisfies ViewFigures,
        ];
      }),
    ),
  };
}

interface Row {
  readonly call: MeasuredCall;
  readonly text: MeasuredText;
}

/** The groups by size, in tokens, in the order of the report. */
const sizes: readonly { readonly name: string; readonly below: number }[] = [
  { name: "nothing", below: 1 },
  { name: "below 1000", below: 1000 },
  { name: "1000 to 4000", below: 4000 },
  { name: "4000 to 16000", below: 16_000 },
  { name: "from 16000", below: Number.POSITIVE_INFINITY },
];

function sizeOf(left: number): string {
  return sizes.find(({ below }) => left < below)?.name ?? "";
}

const sizeNames = sizes.map(({ name }) => name);
const quotingNames: readonly Quoting[] = ["gone-sharp", "gone", "in-view", "nothing"];

/** The figures of each group that has a call, in the given order; by default in that of the alphabet. */
function grouped(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  figures: (rows: readonly Row[]) => SurpriseFigure,
  order?: readonly string[],
): Readonly<Record<string, SurpriseFigure>> {
  const groups = Map.groupBy(rows, nameOf);
  const names = order ?? [...groups.keys()].toSorted();
  return Object.fromEntries(
    names.flatMap((name) => {
      const of = groups.get(name);
      return of === undefined ? [] : [[name, figures(of)]];
    }),
  );
}

/** How often sessions are drawn for an interval. */
const draws = 2000;
/** With fewer sessions an interval says nothing: there are too few different draws. */
const fewestSessions = 5;

/** Calls of one session are alike, so whole sessions are drawn, with replacement. */
function figureOf(rows: readonly Row[], seed: number): SurpriseFigure {
  const clusters = [...Map.groupBy(rows, ({ call }) => call.session).values()].map((of) => ({
    sum: of.reduce((sum, { text }) => sum + text.difference, 0),
    count: of.length,
  }));
  const random = seededRandom(seed);
  const count = clusters.length < fewestSessions ? 0 : draws;
  const means = Array.from({ length: count }, () => drawnMean(clusters, random)).toSorted(
    (a, b) => a - b,
  );
  const difference = meanOf(rows.map(({ text }) => text.difference));
  // Draws from few sessions vary less than samples do, by this factor.
  const factor = Math.sqrt(clusters.length / (clusters.length - 1));
  const end = (at: number): number | null => {
    const mean = means[at];
    return mean === undefined ? null : difference + (mean - difference) * factor;
  };
  return {
    calls: rows.length,
    sessions: clusters.length,
    difference,
    low: end(Math.floor(draws * 0.025)),
    high: end(Math.ceil(draws * 0.975) - 1),
    worse: meanOf(rows.map(({ text }) => Number(text.difference > 0))),
  };
}

/** The mean over the calls of as many sessions as there are, drawn with replacement. */
function drawnMean(
  clusters: readonly { readonly sum: number; readonly count: number }[],
  random: () => number,
): number {
  let sum = 0;
  let count = 0;
  for (let drawn = 0; drawn < clusters.length; drawn += 1) {
    const cluster = clusters[Math.floor(random() * clusters.length)];
    sum += cluster?.sum ?? 0;
    count += cluster?.count ?? 0;
  }
  return sum / count;
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
