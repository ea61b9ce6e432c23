import { exact, tick } from "./amounts.ts";
import type { EvaluationTable } from "./evaluation-table.ts";
import { html, type Html, noHtml } from "./html.ts";
import type { MeasureName } from "./measures.ts";
import { type PlotPoint, scatterPlot } from "./scatter-plot.ts";

/** One point for each arm: the share of solved runs by the money of a run, or by its tokens if prices are unknown. */
export function costPlot({ arms, plan }: EvaluationTable): Html {
  const isPriced = arms.every(({ runs, means }) => runs === 0 || means.dollars !== undefined);
  const money: MeasureName = isPriced ? "dollars" : "tokens";
  const points = arms.flatMap(
    ({ name, means, solvedShare, isBaseline, isManaged }): PlotPoint[] => {
      const cost = means[money];
      if (cost === undefined || solvedShare === undefined) return [];
      const kind = isBaseline ? "baseline" : isManaged ? "managed" : "other";
      return [{ name, kind, x: cost, y: solvedShare }];
    },
  );
  if (points.length === 0) return noHtml;
  const title = `Share of solved runs by ${money} of a run, for each arm; the figures are in the tables below`;
  return html`<section aria-labelledby="plot">
    <h2 id="plot">Cost and solved tasks</h2>
    <figure>
      ${scatterPlot({
        title,
        points,
        across: { label: `${money} of a run (mean)`, show: (value) => tick(value, money) },
        up: {
          label: "runs that were solved",
          show: (value) => `${Math.round(value * 100)} %`,
          most: 1,
        },
      })}
      <figcaption>
        Better is higher and further left. The bars are intervals of ${exact(plan.confidence * 100)}
        % for each arm alone, over its own runs. Arms are compared by pairs, task by task, so that
        two arms can differ although their bars overlap. Square: baseline. Filled: managed context.
        Ring: other arms.
      </figcaption>
    </figure>
  </section> `;
}
