import { describe, expect, test } from "vitest";

import { evaluationJson } from "../../src/report/evaluation-json.ts";
import { evaluationTable } from "../../src/report/evaluation-table.ts";
import { madeResults } from "./made-results.ts";

describe("the JSON of an evaluation", () => {
  test("names its format, its plan and the state of the runs", () => {
    const results = madeResults({ tasks: 6 });

    const json = evaluationJson(evaluationTable(results, { samples: 200 }));

    expect(json).toMatchObject({
      format: "scm-evaluation",
      version: 1,
      planHash: results.planHash,
      plan: { model: "made/model-1", margin: 0.05 },
      preregistered: null,
      runs: { planned: 24, results: 24, excluded: 0, missing: 0 },
    });
  });

  test("has the same fields for every arm, with null for what is unknown", () => {
    const table = evaluationTable(madeResults({ tasks: 4, isPriced: false }), { samples: 200 });

    expect(evaluationJson(table)).toMatchObject({
      arms: [
        { name: "plain", comparison: null },
        {
          name: "default",
          measures: {
            calls: {
              sum: expect.any(Number) as number,
              mean: { value: expect.any(Number) as number, lower: null, upper: null },
              ratio: { lower: null, upper: null },
            },
            contextCalls: { ratio: null },
          },
          comparison: {
            pairs: 8,
            p: expect.any(Number) as number,
            difference: { lower: expect.any(Number) as number },
            pairsNeeded: { upper: expect.any(Number) as number },
          },
        },
      ],
      tasks: [
        {
          name: "coding/task-1",
          arms: [
            { name: "plain", runs: 2, dollars: null },
            { name: "default", runs: 2, dollars: null },
          ],
        },
        {},
        {},
        {},
      ],
    });
  });

  test("is JSON with six significant digits", () => {
    const json = evaluationJson(evaluationTable(madeResults({ tasks: 6 }), { samples: 200 }));
    const text = JSON.stringify(json);

    expect(JSON.parse(text)).toEqual(json);
    const numbers = [...text.matchAll(/[:,[](-?\d+\.\d+(?:e-?\d+)?)/gu)].map(
      ([, digits]) => digits,
    );
    expect(numbers.length).toBeGreaterThan(50);
    for (const digits of numbers)
      expect(Number(digits)).toBe(Number(Number(digits).toPrecision(6)));
  });
});
