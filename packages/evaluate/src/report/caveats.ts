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
      ? "The plan was not written before the runs, so that nothing shows that the margin and the tasks were chosen before the results were known."
      : "The plan was written before the first run; its hash identifies it.",
    `The intervals are of ${level}. One of ${Math.round(1 / intervals)} intervals misses the true figure by chance, and nothing is corrected for the number of arms or figures: a difference that was not asked for in advance needs a second evaluation.`,
    `Pairs are runs of the same task with the same seed.${hasSeeds ? " The seeds of one task are alike; the intervals allow for it." : ""} McNemar's exact test asks whether the arms solve the same on these tasks. It is stricter than the interval with few pairs, so that the interval can be below 0 where the test does not reject.`,
    `A mean has an interval with at least 5 tasks, a ratio with at least ${fewest}. A ratio has none if its bound is not finite, as for a baseline that is nearly always 0.`,
    "The tasks are no sample of anybody's work, and the figures hold for this model, this host and these tasks.",
    "Tokens are those that the provider reported. Dollars are these tokens at the prices of the model's registry, not a bill.",
    ...(missing.length + excluded.length === 0
      ? []
      : [
          "Runs without a result are in no figure. If they are missing for a reason that has to do with the arm, the comparison is wrong by it.",
        ]),
  ];
}
