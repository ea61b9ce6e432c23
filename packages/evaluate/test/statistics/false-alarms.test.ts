import { describe, expect, test } from "vitest";

import { type Comparison, comparePairs } from "../../src/statistics/compare-pairs.ts";
import { falseAlarms } from "../../src/statistics/false-alarms.ts";
import { type HalfSamples, halfSamplesOf } from "../../src/statistics/half-samples.ts";
import { randomNumbers } from "../../src/statistics/random-numbers.ts";

interface Experiment {
  readonly seed: number;
  readonly tasks: number;
  readonly seeds: number;
  /** Of the arm, compared with the baseline. */
  readonly cost: number;
  readonly solved: number;
}

const samples: HalfSamples = halfSamplesOf(24, { count: 2000 });

/** An evaluation with tasks of very different difficulty and size. */
function experiment({ seed, tasks, seeds, cost, solved }: Experiment): Comparison {
  const random = randomNumbers(seed);
  const pairs = Array.from({ length: tasks }, (_, task) => {
    const ease = random();
    const size = 100 ** random();
    const run = (factor: number, chance: number) => ({
      isSolved: random() < chance,
      amounts: { dollars: factor * size * (0.5 + random()) },
    });
    return Array.from({ length: seeds }, () => ({
      task: `task ${task}`,
      arm: run(cost, ease * solved),
      baseline: run(1, ease),
    }));
  });
  return comparePairs(pairs.flat(), {
    confidence: 0.95,
    margin: 0.05,
    amounts: ["dollars"],
    halfSamples: () => samples,
  });
}

function experiments(
  count: number,
  options: Omit<Experiment, "seed" | "tasks">,
): readonly Comparison[] {
  return Array.from({ length: count }, (_, seed) => experiment({ seed, tasks: 24, ...options }));
}

describe("comparisons of an arm with itself", () => {
  test.each([1, 3])("alarm in at most 5 of 100 cases, with %i seeds of each task", (seeds) => {
    const counts = falseAlarms(experiments(500, { seeds, cost: 1, solved: 1 }), 0.95);

    expect(counts.map(({ test: name }) => name)).toEqual([
      "mcnemar",
      "difference",
      "worse",
      "ratio of dollars",
    ]);
    // The bound is above 5 % if the true rate is 8 % or more.
    for (const { rate } of counts) expect(rate.lower).toBeLessThanOrEqual(0.05);
  });

  test("alarm in 200 cases no more often than a rate of 5 % explains", () => {
    for (const { rate, comparisons } of falseAlarms(
      experiments(200, { seeds: 2, cost: 1, solved: 1 }),
      0.95,
    )) {
      expect(comparisons).toBe(200);
      expect(rate.lower).toBeLessThanOrEqual(0.05);
    }
  });
});

test("comparisons of arms that differ alarm nearly always", () => {
  const counts = falseAlarms(experiments(100, { seeds: 3, cost: 0.7, solved: 0.4 }), 0.95);

  for (const { rate } of counts) expect(rate.value).toBeGreaterThan(0.9);
});

test("an answer that cannot be given is no comparison", () => {
  const none = comparePairs([], {
    confidence: 0.95,
    margin: 0.05,
    amounts: ["dollars"],
    halfSamples: halfSamplesOf,
  });

  expect(falseAlarms([none], 0.95)).toEqual([]);
});
