import { exact } from "./amounts.ts";
import type { EvaluationTable } from "./evaluation-table.ts";

/** What a reader must know to judge the figures, as sentences. */
export function caveats({
  plan,
  preregistered,
  missing,
  excluded,
}: EvaluationTable): readonly string[] {
  const level = `${exact(plan.confidence * 100)} %`;
  const intervals = 1 - plan.confidence;
  // A half-sample must be able to be rarer than the part of the level on one side.
  const fewest = Math.ceil(Math.log2(2 / intervals) - 1e-9);
  const hasSeeds = plan.seeds.length > 1;
  return [
    preregistered === undefined
      ? "The plan was not preregistered, so nothing shows that the margin and the tasks were chosen before the results were known."
      : "The plan was preregistered: it was written before the first run, and its hash identifies it.",
    `The intervals are of ${level}. One of ${Math.round(1 / intervals)} intervals misses the true figure by chance, and nothing is corrected for the number of arms or figures: a difference that was not asked for in advance needs a second evaluation.`,
    `Pairs are runs of the same task with the same seed.${hasSeeds ? " The seeds of one task are alike; the intervals allow for it." : ""} The p is that of McNemar's exact test: how often chance alone would make at least such a difference, if both arms solved the same. With few pairs the test is stricter than the interval, so the interval can be below 0 although p is above ${exact(intervals)}.`,
    `A mean has an interval with at least 5 tasks, a ratio with at least ${fewest}. A ratio also has none if the figure of the baseline is nearly always 0.`,
    "The tasks are no sample of anybody's work, and the figures hold for this model, this host and these tasks.",
    "Tokens are those that the provider reported. Dollars are these tokens at the known or given prices of the model, not a bill.",
    ...(missing.length + excluded.length === 0
      ? []
      : [
          "Runs without a result are in no figure. If they are missing because of the arm, the comparison is biased.",
        ]),
  ];
}
