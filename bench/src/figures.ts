import { readFileSync } from "node:fs";

/** A benchmark: a script of a package, which writes the file of its name in `results`. */
export interface Benchmark {
  readonly folder: "bench" | "tests-e2e";
  readonly script: string;
  /** Whether a quick run has it. With `SCM_BENCH=quick` in the environment it takes less than a minute. */
  readonly isQuick?: true;
}

/** A figure of the table: a ratio, the smaller the better, unless it has `least`. */
export interface Figure {
  readonly figure: string;
  /** What the measured value is divided by. */
  readonly baseline: string;
  readonly of: Benchmark;
  /** The place of the ratio in the results; of two places, the first is divided by the second. */
  readonly at: readonly string[] | readonly [readonly string[], readonly string[]];
  readonly most?: number;
  readonly least?: number;
}

const storeRates: Benchmark = { folder: "bench", script: "store-rates" };
const sessionCalls: Benchmark = {
  folder: "bench",
  script: "session-calls",
};
const findObjects: Benchmark = { folder: "bench", script: "find-objects" };
const views: Benchmark = { folder: "bench", script: "views" };
const replayMade: Benchmark = {
  folder: "bench",
  script: "replay-made",
  isQuick: true,
};
const breakpoints: Benchmark = {
  folder: "tests-e2e",
  script: "breakpoints",
  isQuick: true,
};
const piCosts: Benchmark = {
  folder: "tests-e2e",
  script: "pi-costs",
  isQuick: true,
};
const openclawCosts: Benchmark = {
  folder: "tests-e2e",
  script: "openclaw-costs",
};
const xtdbRates: Benchmark = { folder: "bench", script: "xtdb-rates" };

/** All figures, in the order of the table. */
export const figures: readonly Figure[] = [
  {
    figure: "cost of about 500 calls in real Pi, chat completions",
    baseline: "plain Pi in a window with room for all",
    of: piCosts,
    at: ["openai", "ratio"],
    most: 0.36,
  },
  {
    figure: "the same on Anthropic's protocol",
    baseline: "plain Pi",
    of: piCosts,
    at: ["anthropic", "ratio"],
    most: 0.36,
  },
  {
    figure: "cost of a long turn and two more in a gateway of OpenClaw",
    baseline: "the gateway without the plugin",
    of: openclawCosts,
    at: ["one turn of 91 calls, and two more turns", "ratio"],
    most: 0.6,
  },
  {
    figure: "cost of five calls in OpenClaw",
    baseline: "the gateway without the plugin",
    of: openclawCosts,
    at: ["3 turns with one file and one command", "ratio"],
    most: 1.03,
  },
  {
    figure: "cost of made sessions with pauses, price profile A",
    baseline: "every output stays",
    of: replayMade,
    at: ["A", "epoch", "costRatio"],
  },
  {
    figure: "the same if missed evidence is fetched again",
    baseline: "every output stays",
    of: replayMade,
    at: ["A", "epoch", "chargedCostRatio"],
  },
  {
    figure: "the same, price profile D",
    baseline: "every output stays",
    of: replayMade,
    at: ["D", "epoch", "chargedCostRatio"],
  },
  {
    figure: "tokens written when an epoch ends in the recorded session, cache warm",
    baseline: "tokens written in the whole session",
    of: breakpoints,
    at: [
      ["changes", "writtenTokens"],
      ["writtenTokens", "whole"],
    ],
  },
  {
    figure: "tokens that the provider reads in the recorded session",
    baseline: "tokens that the account expects",
    of: breakpoints,
    at: [
      ["read", "billed"],
      ["read", "expected"],
    ],
    least: 0.97,
  },
  {
    figure: "time of a commit in SQLite",
    baseline: "bare node:sqlite, same rows",
    of: storeRates,
    at: ["commitOfCall", "ratio"],
    most: 1.3,
  },
  {
    figure: "bytes of the store after 500 calls",
    baseline: "the transcript",
    of: sessionCalls,
    at: ["storeOverTranscript", "ratio"],
    most: 2,
  },
  {
    figure: "time of a model call at 10,000 messages",
    baseline: "at 1,000 messages",
    of: sessionCalls,
    at: ["sqliteAt10000Over1000", "ratio"],
    most: 2,
  },
  {
    figure: "time of `find_objects` in the reach of a workspace, ten workspaces",
    baseline: "in the whole store",
    of: findObjects,
    at: ["ten", "ratio"],
    most: 1.05,
  },
  {
    figure: "time to verify 500 calls in order, epoch layout",
    baseline: "one by one",
    of: views,
    at: ["layouts", "epoch", "rebuild", "verification", "ratio"],
    most: 0.2,
  },
  {
    figure: "time of the three commits of a call in XTDB",
    baseline: "the same requests sent bare",
    of: xtdbRates,
    at: ["modelCall", "ratio"],
    most: 1.3,
  },
];

/** A measured figure, as it is kept. */
export interface MeasuredFigure {
  readonly figure: string;
  readonly baseline: string;
  readonly ratio: number;
  readonly machine: string;
  readonly commit: string;
}

/** Returns the figures whose results are in a folder. */
export function measuredFigures(
  folder: URL,
  wanted: readonly Figure[] = figures,
): readonly MeasuredFigure[] {
  return wanted.map(({ figure, baseline, of, at }) => {
    const results = JSON.parse(
      readFileSync(new URL(`${of.script}.json`, folder), "utf8"),
    ) as Readonly<Record<string, unknown>>;
    const [over, under] =
      typeof at[0] === "string"
        ? [at as readonly string[]]
        : (at as readonly (readonly string[])[]);
    const ratio = numberAt(results, over) / (under === undefined ? 1 : numberAt(results, under));
    if (!Number.isFinite(ratio))
      throw new TypeError(`${of.script}.json has no number for ${JSON.stringify(figure)}`);
    return {
      figure,
      baseline,
      ratio: Number(ratio.toPrecision(3)),
      machine: String(results["processor"]),
      commit: String(results["commit"]),
    };
  });
}

function numberAt(results: unknown, path: readonly string[] = []): number {
  let found = results;
  for (const name of path) found = (found as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof found === "number" ? found : Number.NaN;
}

/** The part of a ratio by which it can be worse before that counts as a regression. */
export const tolerance = 0.15;

/** Returns a line for each figure that is worse than a former one by more than the tolerance. */
export function regressions(
  former: readonly MeasuredFigure[],
  now: readonly MeasuredFigure[],
): readonly string[] {
  return now.flatMap(({ figure, ratio }) => {
    const before = former.find((one) => one.figure === figure);
    if (before === undefined) return [];
    const isGrowing = figures.some((one) => one.figure === figure && one.least !== undefined);
    const change = isGrowing ? before.ratio / ratio : ratio / before.ratio;
    return change > 1 + tolerance
      ? [`${figure}: ${ratio}, was ${before.ratio} at ${before.commit}`]
      : [];
  });
}

/** Returns the table of figures in Markdown. */
export function figureTable(measured: readonly MeasuredFigure[]): string {
  const rows = measured.map(({ figure, baseline, ratio, machine, commit }) => {
    const { most, least } = figures.find((one) => one.figure === figure) ?? {};
    const isMissed = (most !== undefined && ratio > most) || (least !== undefined && ratio < least);
    const aim =
      most === undefined ? (least === undefined ? "" : `at least ${least}`) : `at most ${most}`;
    const shown = isMissed ? `**missed**: ${ratio}` : String(ratio);
    return `| ${figure} | ${baseline} | ${shown} | ${aim} | ${machine} | ${commit} |`;
  });
  return [
    "| figure | divided by | ratio | aim | machine | commit |",
    "| - | - | - | - | - | - |",
    ...rows,
  ].join("\n");
}
