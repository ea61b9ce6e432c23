import {
  evaluationTable,
  namedArms,
  ownTasks,
  verifyResults,
} from "@self-context-manager/evaluate";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { evaluateArms, lastingResults } from "../src/evaluate/evaluate-arms.ts";

const hour = 3_600_000;

/** Arms that need something else than the forgetful model: it writes no summaries. */
const others = new Set(["summaries"]);

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "scm-evaluation-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

it(
  "does all own tasks in four arms, with results that can be verified",
  async () => {
    await inFolder(async (out) => {
      const arms = ["plain", "default", "thrifty", "no-folds"];
      const results = await evaluateArms({ out, arms, tasks: ["all"] });

      expect(results.records).toHaveLength(arms.length * ownTasks(1).length);
      expect(results.records.flatMap(({ faults }) => faults)).toEqual([]);
      expect((await verifyResults(out)).problems).toEqual([]);
      const managed = results.records.filter(({ arm }) => arm === "default");
      expect(managed.filter(({ isSolved }) => !isSolved)).toEqual([]);
    });
  },
  2 * hour,
);

it(
  "does a task of each family in every arm, twice with the same figures",
  async () => {
    const arms = namedArms.map(({ name }) => name).filter((name) => !others.has(name));
    const tasks = [
      "coding/retry-backoff",
      "long-episode/reverted-choices",
      "memory/linked-notes",
      "interference/equal-names",
    ];
    const [first, second] = await inFolder(async (out) => [
      await evaluateArms({ out: join(out, "first"), arms, tasks }),
      await evaluateArms({ out: join(out, "second"), arms, tasks }),
    ]);

    expect(first?.records).toHaveLength(arms.length * tasks.length);
    expect(second && lastingResults(second)).toEqual(first && lastingResults(first));
    expect(first && evaluationTable(first).excluded).toEqual([]);
  },
  2 * hour,
);
