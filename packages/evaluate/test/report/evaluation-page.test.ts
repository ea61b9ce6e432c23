import { describe, expect, test } from "vitest";

import { armHash } from "../../src/arms/arm-hash.ts";
import { evaluationPage } from "../../src/report/evaluation-page.ts";
import { evaluationTable } from "../../src/report/evaluation-table.ts";
import { madeResults } from "./made-results.ts";
import { pageProblems } from "./page-problems.ts";

const few = { samples: 200 };

/** The text of a page without its elements, with single spaces. */
function textOf(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>/u, "")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ");
}

describe("the page of an evaluation", () => {
  test("is well formed, loads nothing and has tables with heads", () => {
    const arms = [
      { name: "plain" },
      { name: "default", cost: 0.6 },
      { name: "no-folds", solved: 0.5 },
    ];

    expect(pageProblems(evaluationPage(evaluationTable(madeResults({ arms }), few)))).toEqual([]);
  });

  test("says in words what was found", () => {
    const arms = [{ name: "plain" }, { name: "broken", solved: 0.3 }];

    const text = textOf(evaluationPage(evaluationTable(madeResults({ arms }), few)));

    expect(text).toMatch(/broken solves less/u);
    expect(text).toMatch(
      /broken solved \d+ of 48 runs, \d+ fewer than plain with the same tasks and seeds: a difference of −\d+\.\d percentage points \(−\d+\.\d to −\d+\.\d\)/u,
    );
    expect(text).toMatch(/The dollars were 0?1?\.\d+ times \([\d.]+ to [\d.]+\) those of plain/u);
  });

  test("shows the plan's hash and whether it was written before the runs", () => {
    const results = madeResults({ tasks: 4 });
    const before = { ...results, preregistered: "2026-11-30T09:00:00.000Z" };

    const page = evaluationPage(evaluationTable(results, few));
    const other = evaluationPage(evaluationTable(before, few));

    expect(textOf(page)).toContain(results.planHash);
    expect(textOf(page)).toContain("Preregistered no");
    expect(textOf(page)).toContain("The plan was not preregistered");
    expect(textOf(other)).toContain("Preregistered yes 2026-11-30T09:00:00.000Z");
  });

  test("never makes markup of texts of runs or of the plan", () => {
    const bad = `"'><img src=x onerror=alert(1)><script>alert(2)</script>`;
    const results = madeResults({
      arms: [{ name: "plain" }, { name: bad, title: bad, solved: 0.5 }],
    });
    const plan = {
      ...results.plan,
      tasks: results.plan.tasks.map((task) => ({ ...task, title: bad })),
      arms: results.plan.arms.map((arm) => ({ ...arm, environment: { [bad]: bad } })),
    };
    const hashes = new Map(plan.arms.map((arm) => [arm.name, armHash(arm)]));
    const records = results.records.map((record, index) => ({
      ...record,
      armHash: hashes.get(record.arm) ?? "",
      ...(record.failure !== undefined && { failure: { ...record.failure, evidence: bad } }),
      ...(index === 5 && { faults: [bad] }),
      figures: { ...record.figures, contextTools: { [bad]: 1 } },
    }));

    const page = evaluationPage(evaluationTable({ ...results, plan, records }, few), {
      links: () => bad,
    });

    expect(pageProblems(page)).toEqual([]);
    expect(page).toContain("&lt;script&gt;alert(2)&lt;/script&gt;</code>");
  });

  test("links each run to its page", () => {
    const table = evaluationTable(madeResults({ tasks: 4, seeds: 1 }), few);

    const page = evaluationPage(table, {
      links: ({ key, arm }) => (arm === "plain" ? undefined : `runs/${key}/index.html`),
    });

    expect(page).toContain('href="runs/default-coding/task-1-1/index.html"');
    expect(page).not.toContain('href="runs/plain');
  });

  test("shows runs without a result with the reason", () => {
    const results = madeResults({ tasks: 4 });
    const records = results.records.map((record, index) =>
      index === 0 ? { ...record, end: "budget" as const } : record,
    );

    const text = textOf(evaluationPage(evaluationTable({ ...results, records }, few)));

    expect(text).toContain("the budget was spent before it ended");
    expect(text).toMatch(/plain 1 show coding\/task-1 \(seed 1\)/u);
  });

  test("draws each arm with bars both ways, by tokens if prices are unknown", () => {
    const page = evaluationPage(evaluationTable(madeResults({ isPriced: false }), few));
    const [, wide = ""] = /<svg class="wide"([\s\S]*?)<\/svg>/u.exec(page) ?? [];

    expect(wide.match(/<line class="bar"/gu)).toHaveLength(4);
    expect(wide).toContain("tokens of a run");
    expect(wide).not.toMatch(/NaN|Infinity/u);
  });

  test.each([
    ["no runs", { ...madeResults({ tasks: 2 }), records: [] }],
    ["one arm", madeResults({ arms: [{ name: "plain" }] })],
    ["one task", madeResults({ tasks: 1, seeds: 1 })],
  ])("exists for %s", (_, results) => {
    const page = evaluationPage(evaluationTable(results, few));

    expect(pageProblems(page)).toEqual([]);
    expect(page).not.toMatch(/NaN|undefined|Infinity/u);
  });
});
