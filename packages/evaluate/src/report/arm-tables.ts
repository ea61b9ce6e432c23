import { hasInterval, type RatioEstimate } from "../statistics/bootstrap.ts";
import type { Estimate } from "../statistics/interval.ts";
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
import { html, type Html, noHtml } from "./html.ts";
import { htmlTable } from "./html-table.ts";
import { type Measure, type MeasureName, measures } from "./measures.ts";

/** The tables of arms: solved, all measures, facts, context tools, and each family. */
export function armTables(table: EvaluationTable): Html {
  return html`<section aria-labelledby="arms">
      <h2 id="arms">Arms</h2>
      ${solvedTable(table, table.arms, "All tasks.")}${measureTable(table)}${factTable(table)}${toolTable(table)}
    </section>
    ${familySection(table)}`;
}

function familySection(table: EvaluationTable): Html {
  if (table.families.length < 2) return noHtml;
  return html`<section aria-labelledby="families">
    <h2 id="families">Families of tasks</h2>
    ${table.families.map(({ family, tasks, arms }) =>
      solvedTable(table, arms, `${family}: ${counted(tasks, "task")}.`),
    )}
  </section> `;
}

function solvedTable(
  { plan }: EvaluationTable,
  arms: readonly ArmFigures[],
  caption: string,
): Html {
  return htmlTable({
    caption: `${caption} Solved runs, and the comparison with the baseline by pairs of task and seed.`,
    head: [
      "Arm",
      "Solved",
      "Difference in percentage points",
      "McNemar p",
      `No worse, margin ${exact(plan.margin * 100)} points`,
      "Dollars over baseline",
      "Tokens over baseline",
      "Calls over baseline",
    ],
    rows: arms.map((arm) => {
      const { name, title, runs, solved, solvedShare, isBaseline, comparison } = arm;
      const isCompared = comparison?.difference !== undefined;
      return [
        html`${name}<small>${title}</small>`,
        solvedShare === undefined
          ? "no results"
          : html`${solved} of ${runs}<small>${estimateText(solvedShare, percent)}</small>`,
        isBaseline
          ? "baseline"
          : isCompared
            ? estimateCell(comparison.difference, points)
            : "no pairs",
        isCompared ? probability(comparison.p) : "",
        comparison?.nonInferiority?.replace("-", " ") ?? "",
        ...(["dollars", "tokens", "calls"] as const).map((measure) => ratioCell(arm, measure)),
      ];
    }),
  });
}

function ratioCell({ comparison }: ArmFigures, measure: MeasureName): Html | string {
  if (comparison === undefined) return "";
  const ratio = comparison.ratios[measure];
  return ratio === undefined ? "unknown" : estimateCell(ratio, figure);
}

function estimateCell(
  estimate: Estimate | RatioEstimate | undefined,
  show: (value: number) => string,
): Html {
  if (estimate === undefined) return html`unknown`;
  // Resamples of nothing but zeros do not vary, which is no measure of how certain the 0 is.
  if (estimate.value === 0 && hasInterval(estimate) && estimate.upper === 0)
    return html`0<small>in no run</small>`;
  const bounds = hasInterval(estimate) ? boundsOf(estimate, show) : "no interval";
  return html`${show(estimate.value)}<small>${bounds}</small>`;
}

function estimateText(estimate: Estimate, show: (value: number) => string): string {
  return `${show(estimate.value)} ${boundsOf(estimate, show)}`;
}

function measureTable({ arms }: EvaluationTable): Html {
  const shown = arms.filter(({ runs }) => runs > 0);
  return htmlTable({
    caption:
      "Means of a run with their intervals, over all results of an arm. With ×: the sum of the arm divided by that of the baseline, over the pairs.",
    head: ["Measure", ...shown.map(({ name }) => name)],
    rows: measures
      .filter(({ name }) => shown.some(({ means }) => means[name] !== undefined))
      .map((measure) => [measure.label, ...shown.map((arm) => measureCell(arm, measure))]),
  });
}

function measureCell({ means, comparison }: ArmFigures, { name, unit }: Measure): Html {
  const ratio = comparison?.ratios[name];
  const compared =
    ratio === undefined
      ? noHtml
      : html`<small
          >× ${figure(ratio.value)} ${hasInterval(ratio) ? boundsOf(ratio, figure) : ""}</small
        >`;
  return html`${estimateCell(means[name], (value) => amount(value, unit))}${compared}`;
}

function factTable({ arms }: EvaluationTable): Html {
  const shown = arms.filter(({ facts }) => facts.needed > 0);
  return htmlTable({
    caption:
      "A fact is a value that was said or shown once and that a later prompt needs. Needed: counted for each prompt that needs it. Never seen: no request of that turn had the value. Stale: a request had another value and not the right one.",
    head: ["Arm", "Needed", "Seen later in the turn", "Never seen", "Stale"],
    rows: shown.map(({ name, facts }) => [
      name,
      facts.needed,
      facts.later,
      facts.neverShare === undefined
        ? facts.never
        : html`${facts.never}<small>${estimateText(facts.neverShare, percent)}</small>`,
      facts.staleShare === undefined
        ? facts.stale
        : html`${facts.stale}<small>${estimateText(facts.staleShare, percent)}</small>`,
    ]),
  });
}

function toolTable({ arms }: EvaluationTable): Html {
  const names = [...new Set(arms.flatMap(({ contextTools }) => Object.keys(contextTools)))];
  const shown = arms.filter(({ contextTools }) => Object.keys(contextTools).length > 0);
  return htmlTable({
    caption:
      "Calls of the context tools, counted over all results. Used: calls of activate and find_objects whose result the model then repeated.",
    head: ["Arm", ...names, "Used"],
    rows: shown.map(({ name, contextTools, sums }) => [
      name,
      ...names.map((tool) => (Object.hasOwn(contextTools, tool) ? (contextTools[tool] ?? 0) : 0)),
      sums.contextCallsUsed ?? 0,
    ]),
  });
}
