import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { evaluationTable } from "../../src/report/evaluation-table.ts";
import { evaluationText } from "../../src/report/evaluation-text.ts";
import { madeResults } from "./made-results.ts";

const few = { samples: 200 };

describe("the table for a terminal", () => {
  test("shows each arm with its intervals and its answer", () => {
    const arms = [{ name: "plain" }, { name: "broken", cost: 0.5, solved: 0.3 }];
    const text = evaluationText(evaluationTable(madeResults({ arms }), few));

    expect(text).toMatch(/^plain +\d+ of 48 \(\d+\.\d % to \d+\.\d %\) +baseline$/mu);
    expect(text).toMatch(
      /^broken +\d+ of 48 .*−\d+\.\d \(−\d+\.\d to −\d+\.\d\) +< 0\.001 +worse$/mu,
    );
    expect(text).toMatch(
      /^broken +\$0\.\d+ \(\$0\.\d+ to \$\d\.\d+\) +0\.\d+ \(0\.\d+ to 0\.\d+\)/mu,
    );
    expect(text).toMatch(/It solves less: the whole interval is below 0/u);
  });

  test("says how many pairs would be enough where nothing is shown", () => {
    const text = evaluationText(evaluationTable(madeResults({ tasks: 8 }), few));

    expect(text.replaceAll("\n", " ")).toMatch(
      /an evaluation needs [\d,]+ pairs \([\d,]+ to [\d,]+\) to show this with a power of 80 %/u,
    );
  });

  test("says only how many pairs would be enough at most where no pair differs", () => {
    const results = madeResults({ tasks: 8 });
    const records = results.records.map((record) => ({ ...record, isSolved: true }));

    const text = evaluationText(evaluationTable({ ...results, records }, few));

    expect(text.replaceAll("\n", " ")).toMatch(
      /an evaluation needs up to [\d,]+ pairs to show this with a power of 80 %: in no pair/u,
    );
  });

  test("says what is missing and what was left out", () => {
    const results = madeResults({ tasks: 6 });
    const [first, , ...others] = results.records;
    if (first === undefined) throw new Error("there are no runs");
    const records = [{ ...first, end: "budget" as const }, ...others];

    const text = evaluationText(evaluationTable({ ...results, records }, few));

    expect(text).toContain("1 run left out: the budget was spent before it ended");
    expect(text).toContain("2 runs of the plan without a result: 1 of plain, 1 of default");
  });

  test("has at most 100 characters in a line and no control characters, whatever the names are", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(name, name, (first, second) => {
        fc.pre(first !== second);
        const arms = [{ name: first }, { name: `${second} \u001B[31m` }];
        const text = evaluationText(
          evaluationTable(madeResults({ arms, tasks: 4, seeds: 1 }), { samples: 20 }),
        );

        for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
        expect(text).not.toMatch(/[^\P{Cc}\n]/u);
      }),
      { numRuns: 20 },
    );
  });
});
