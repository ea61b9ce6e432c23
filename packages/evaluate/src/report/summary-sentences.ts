import { hasInterval } from "../statistics/bootstrap.ts";
import type { Comparison } from "../statistics/compare-pairs.ts";
import type { NonInferiority } from "../statistics/paired-difference.ts";
import {
  amount,
  boundsOf,
  counted,
  exact,
  figure,
  percent,
  points,
  probability,
} from "./amounts.ts";
import type { ArmFigures } from "./arm-figures.ts";
import type { EvaluationTable } from "./evaluation-table.ts";

/** What the results say about one arm, in words. */
export interface ArmSummary {
  readonly arm: string;
  readonly answer?: NonInferiority;
  /** The answer about the margin, in a few words. */
  readonly verdict: string;
  readonly sentences: readonly string[];
}

/** Says for each arm except the baseline how many tasks it solved and what it cost, compared with the baseline. */
export function summarySentences(table: EvaluationTable): readonly ArmSummary[] {
  const baseline = table.arms.find(({ isBaseline }) => isBaseline);
  if (baseline === undefined) return [];
  return table.arms
    .filter(({ isBaseline }) => !isBaseline)
    .map((arm) => armSummary(table, { arm, baseline }));
}

function armSummary(
  { plan: { margin } }: EvaluationTable,
  { arm, baseline }: { readonly arm: ArmFigures; readonly baseline: ArmFigures },
): ArmSummary {
  const { comparison } = arm;
  const difference = comparison?.difference;
  if (comparison === undefined || difference === undefined)
    return {
      arm: arm.name,
      verdict: "no pairs",
      sentences: [
        `There is no task and seed with a result of ${arm.name} and of ${baseline.name}.`,
      ],
    };
  const {
    pairs,
    both,
    onlyArm,
    onlyBaseline,
    p,
    nonInferiority: answer = "not-shown",
  } = comparison;
  const gap = onlyArm - onlyBaseline;
  const compared = gap === 0 ? "as many as" : `${Math.abs(gap)} ${gap < 0 ? "fewer" : "more"} than`;
  return {
    arm: arm.name,
    answer,
    verdict: verdicts[answer],
    sentences: [
      `${arm.name} solved ${both + onlyArm} of ${counted(pairs, "run")}, ${compared} ${baseline.name} with the same tasks and seeds: a difference of ${points(difference.value)} percentage points ${boundsOf(difference, points)}. Only ${arm.name} solved ${onlyArm}, only ${baseline.name} ${onlyBaseline} (exact McNemar test: p ${equals(probability(p))}).`,
      answerSentence(answer, { margin, lower: difference.lower }),
      ...(answer === "not-shown" ? powerSentence(comparison) : []),
      ...costSentence(arm, baseline),
    ],
  };
}

const verdicts: Readonly<Record<NonInferiority, string>> = {
  shown: "shown to be no worse",
  "not-shown": "not shown to be no worse",
  worse: "solves less",
};

function equals(p: string): string {
  return p.startsWith("<") ? p : `= ${p}`;
}

function answerSentence(
  answer: NonInferiority,
  { margin, lower }: { readonly margin: number; readonly lower: number },
): string {
  const limit = `${exact(margin * 100)} percentage points`;
  const least = `the interval reaches down to ${points(lower)}`;
  switch (answer) {
    case "shown":
      return `With the margin of ${limit} it is shown to be no worse: ${least}.`;
    case "not-shown":
      return `With the margin of ${limit} it is not shown to be no worse: ${least}.`;
    case "worse":
      return `It solves less: the whole interval is below 0, and ${least}, beyond the margin of ${limit}.`;
  }
}

function powerSentence({ pairsNeeded, discordance }: Comparison): readonly string[] {
  if (pairsNeeded === undefined || discordance === undefined) return [];
  // Without a differing pair, only the bound of their share says how many pairs are needed.
  if (discordance.value === 0)
    return [
      `If both are equally good, an evaluation needs up to ${whole(pairsNeeded.upper)} pairs to show this with a power of 80 %: in no pair one run was solved and the other was not, but up to ${percent(discordance.upper)} of all pairs may be so.`,
    ];
  return [
    `If both are equally good, an evaluation needs ${whole(pairsNeeded.value)} pairs ${boundsOf(pairsNeeded, whole)} to show this with a power of 80 %. It needs more the more pairs differ; here one run was solved and the other was not in ${percent(discordance.value)} of pairs ${boundsOf(discordance, percent)}.`,
  ];
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}

function costSentence({ comparison, means }: ArmFigures, baseline: ArmFigures): readonly string[] {
  const measure = comparison?.ratios["dollars"] === undefined ? "tokens" : "dollars";
  const ratio = comparison?.ratios[measure];
  if (ratio === undefined) return [];
  const calls = comparison?.ratios["calls"];
  const own = means[measure];
  const other = baseline.means[measure];
  const each =
    own === undefined || other === undefined
      ? ""
      : `; a run ${measure === "dollars" ? "cost" : "used"} ${amount(own.value, measure)}, and one of ${baseline.name} ${amount(other.value, measure)}`;
  return [
    `The ${measure} were ${inWords(ratio)} those of ${baseline.name}${each}.`,
    ...(calls === undefined
      ? []
      : [`The model calls were ${inWords(calls)} those of ${baseline.name}.`]),
  ];
}

function inWords(ratio: Parameters<typeof hasInterval>[0]): string {
  return hasInterval(ratio)
    ? `${figure(ratio.value)} times ${boundsOf(ratio, figure)}`
    : `${figure(ratio.value)} times (no interval)`;
}
