import { oneLine } from "@self-context-manager/objects";

import type { RatioEstimate } from "../statistics/bootstrap.ts";
import {
  amount,
  boundsOf,
  counted,
  exact,
  figure,
  percent,
  points,
  probability,
  withBounds,
} from "./amounts.ts";
import type { ArmFigures } from "./arm-figures.ts";
import { caveats } from "./caveats.ts";
import type { EvaluationTable } from "./evaluation-table.ts";
import { type MeasureName, measures } from "./measures.ts";
import { summarySentences } from "./summary-sentences.ts";
import { cut, textTable, textWidth, wrapped } from "./text-table.ts";

/** The table for a terminal: lines of at most 100 characters, each with its line feed. */
export function evaluationText(table: EvaluationTable): string {
  const { plan, planHash, preregistered } = table;
  const state =
    preregistered === undefined ? "not preregistered" : `preregistered at ${preregistered}`;
  const blocks: readonly (readonly string[])[] = [
    [
      ...wrapped(`${plan.model} in ${plan.host}, context manager ${plan.version}`),
      ...wrapped(
        `${counted(plan.arms.length, "arm")} × ${counted(plan.tasks.length, "task")} × ${counted(plan.seeds.length, "seed")}: ${table.results} of ${counted(table.planned, "run")} have a result`,
      ),
      ...wrapped(`plan ${planHash.slice(0, 16)}, ${state}`),
    ],
    solvedRows(table),
    costRows(table),
    ...detailRows(table),
    failureRows(table),
    leftOut(table),
    ...summarySentences(table).map(({ sentences }) => wrapped(sentences.join(" "))),
    caveats(table).flatMap((caveat) => wrapped(`- ${caveat}`)),
  ];
  const texts = blocks.filter(({ length }) => length > 0).map((block) => block.join("\n"));
  return `${texts.join("\n\n")}\n`;
}

function solvedRows({ arms, plan }: EvaluationTable): readonly string[] {
  return textTable([
    ["arm", "solved", "difference in points", "p", `no worse (margin ${exact(plan.margin * 100)})`],
    ...arms.map(({ name, runs, solved, solvedShare, isBaseline, comparison }) => [
      name,
      solvedShare === undefined
        ? "no results"
        : `${solved} of ${runs} ${boundsOf(solvedShare, percent)}`,
      isBaseline
        ? "baseline"
        : comparison?.difference === undefined
          ? "no pairs"
          : withBounds(comparison.difference, points),
      comparison?.difference === undefined ? "" : probability(comparison.p),
      comparison?.nonInferiority?.replace("-", " ") ?? "",
    ]),
  ]);
}

function costRows({ arms }: EvaluationTable): readonly string[] {
  const isPriced = arms.some(({ means }) => means.dollars !== undefined);
  const money: MeasureName = isPriced ? "dollars" : "tokens";
  return textTable([
    ["arm", `${money} of a run`, `${money} over baseline`, "calls over baseline"],
    ...arms.map((arm) => {
      const mean = arm.means[money];
      return [
        arm.name,
        mean === undefined ? "unknown" : withBounds(mean, (value) => amount(value, money)),
        ratioText(arm, money),
        ratioText(arm, "calls"),
      ];
    }),
  ]);
}

function ratioText({ isBaseline, comparison }: ArmFigures, name: MeasureName): string {
  const ratio: RatioEstimate | undefined = comparison?.ratios[name];
  if (isBaseline) return "baseline";
  return ratio === undefined ? "unknown" : withBounds(ratio, figure);
}

/** Means of a run by measure; as many arms in one block as fit. */
function detailRows({ arms }: EvaluationTable): readonly (readonly string[])[] {
  const shown = arms.filter(({ runs }) => runs > 0);
  const perBlock = 6;
  const blocks: (readonly string[])[] = [];
  for (let from = 0; from < shown.length; from += perBlock) {
    const some = shown.slice(from, from + perBlock);
    blocks.push(
      textTable([
        ["mean of a run", ...some.map(({ name }) => cut(name, 10))],
        ...measures
          .filter(({ name }) => shown.some(({ means }) => means[name] !== undefined))
          .map(({ name, label, unit }) => [
            label,
            ...some.map(({ means }) => {
              const mean = means[name];
              return mean === undefined ? "-" : amount(mean.value, unit);
            }),
          ]),
      ]),
    );
  }
  return blocks.length === 0
    ? []
    : [...blocks, ["The intervals of these means are in the page and in the JSON."]];
}

function failureRows({ arms }: EvaluationTable): readonly string[] {
  const rows = arms.flatMap(({ name, failures }) => {
    const kinds = Object.entries(failures).toSorted(([, a], [, b]) => b - a);
    return kinds.length === 0
      ? []
      : [[name, kinds.map(([kind, count]) => `${count} ${kind}`).join(", ")] as const];
  });
  return rows.length === 0
    ? []
    : [
        "not solved, by kind",
        ...rows.map(([name, kinds]) => cut(`  ${oneLine(`${name}: ${kinds}`)}`, textWidth)),
      ];
}

/** Runs that count for nothing, with the reasons. */
function leftOut({ excluded, missing }: EvaluationTable): readonly string[] {
  const reasons = Map.groupBy(excluded, ({ reason }) => reason);
  const byArm = Map.groupBy(missing, ({ arm }) => arm);
  return [
    ...[...reasons].flatMap(([reason, runs]) =>
      wrapped(`${counted(runs.length, "run")} left out: ${reason}`),
    ),
    ...(missing.length === 0
      ? []
      : wrapped(
          `${counted(missing.length, "run")} of the plan without a result: ${[...byArm].map(([arm, runs]) => `${runs.length} of ${arm}`).join(", ")}`,
        )),
  ];
}
