import * as fc from "fast-check";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { RunRecord } from "../../src/model/run-record.ts";
import { evaluate, type EvaluateOptions } from "../../src/run/evaluate.ts";
import { testModel } from "../../src/run/evaluated-model.ts";
import { readResults } from "../../src/run/results-folder.ts";
import { verifyResults } from "../../src/run/verify-results.ts";
import { keepingArm, runHost } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "scm-evaluate-test-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function options(out: string, given: Partial<EvaluateOptions> = {}): EvaluateOptions {
  return {
    out,
    arms: [keepingArm("plain"), keepingArm("short", 2)],
    tasks: new Map([[1, smallTasks(2)]]),
    host: runHost(),
    model: testModel("forgetful"),
    version: "test",
    ...given,
  };
}

/** The parts of results that a repetition has too. */
function lasting(records: readonly RunRecord[]): readonly object[] {
  return records.map(
    ({ began: _began, figures: { seconds: _seconds, ...figures }, ...record }) => ({
      ...record,
      figures,
    }),
  );
}

describe("evaluate", () => {
  it("does each run of the plan once", async () => {
    await inFolder(async (out) => {
      const seen: string[] = [];
      const onProgress: EvaluateOptions["onProgress"] = ({ record }) => seen.push(record.key);

      expect(await evaluate(options(out, { onProgress }))).toMatchObject({ left: 0 });
      expect(await evaluate(options(out, { onProgress }))).toMatchObject({ left: 0 });

      expect(new Set(seen).size).toBe(4);
      expect(seen).toHaveLength(4);
      const { records } = await readResults(out);
      expect(records.every(({ isSolved }) => isSolved)).toBe(true);
      expect((await verifyResults(out)).problems).toEqual([]);
      for (const name of await readdir(join(out, "runs")))
        expect(await readdir(join(out, "runs", name))).not.toContain("store");
    });
  });

  it("adds the runs of a larger plan", async () => {
    await inFolder(async (out) => {
      await evaluate(options(out));
      const seen: string[] = [];
      const tasks = new Map([
        [1, smallTasks(2)],
        [2, smallTasks(2, 2)],
      ]);

      await evaluate(options(out, { tasks, onProgress: ({ record }) => seen.push(record.arm) }));

      expect(seen).toHaveLength(4);
      expect((await readResults(out)).records).toHaveLength(8);
    });
  });

  it("has the same results after it was broken off and continued", async () => {
    const whole = await inFolder(async (out) => {
      await evaluate(options(out));
      return lasting((await readResults(out)).records);
    });

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 15 }),
        fc.integer({ min: 1, max: 3 }),
        async (calls, parallel) => {
          await inFolder(async (out) => {
            const stop = new AbortController();
            let made = 0;
            const forgetful = testModel("forgetful");
            const model: EvaluateOptions["model"] = {
              name: forgetful.name,
              open: async (run) => {
                made += 5;
                if (made > calls) stop.abort(new Error("broken off"));
                return await forgetful.open(run);
              },
            };
            await expect(
              evaluate(options(out, { model, parallel, signal: stop.signal })),
            ).rejects.toThrow("broken off");
            await evaluate(options(out));

            expect(lasting((await readResults(out)).records)).toEqual(whole);
          });
        },
      ),
      { numRuns: propertyRuns(8) },
    );
  });

  it("stops when the budget is spent, and continues with a larger one", async () => {
    await inFolder(async (out) => {
      const first = await evaluate(options(out, { budget: 0.02 }));
      expect(first.stopped).toBe("budget");
      expect(first.left).toBeGreaterThan(0);
      await expect(evaluate(options(out, { budget: 0.0001 }))).rejects.toThrow(
        /have cost 0\.0\d dollars/u,
      );

      expect(await evaluate(options(out, { budget: 10 }))).toMatchObject({ left: 0 });
      const { records } = await readResults(out);
      expect(records.map(({ end }) => end)).toEqual(records.map(() => "finished"));
      expect(records).toHaveLength(4);
      // Nothing is left that could cost more.
      expect(await evaluate(options(out, { budget: 0.0001 }))).toMatchObject({ left: 0 });
    });
  });

  it("ends the other runs if one cannot be done", async () => {
    await inFolder(async (out) => {
      let opened = 0;
      const forgetful = testModel("forgetful");
      const model: EvaluateOptions["model"] = {
        name: forgetful.name,
        open: async (run) => {
          opened += 1;
          if (opened === 2) throw new Error("the disk is full");
          return await forgetful.open(run);
        },
      };

      await expect(evaluate(options(out, { model, parallel: 2 }))).rejects.toThrow("disk is full");
      expect(opened).toBe(2);
      expect((await readResults(out)).records).toEqual([]);
    });
  });

  it("refuses a second evaluation in the same folder at the same time", async () => {
    await inFolder(async (out) => {
      // Either of them can be the first to have the lock.
      const both = await Promise.allSettled([evaluate(options(out)), evaluate(options(out))]);
      const refused = both.flatMap((one) =>
        one.status === "rejected" ? [String(one.reason)] : [],
      );
      expect(refused).toEqual([expect.stringMatching(/does the runs in .* already/u)]);

      await writeFile(join(out, "lock"), "999999999");
      expect(await evaluate(options(out))).toMatchObject({ left: 0 });
    });
  });

  it("does the pilot first, and the rest only if it is confirmed", async () => {
    await inFolder(async (out) => {
      const asked: number[] = [];
      const confirm: EvaluateOptions["confirm"] = async ({ runs, dollars }) => {
        asked.push(runs);
        expect(dollars).toBeGreaterThan(0);
        return asked.length > 1;
      };

      expect(await evaluate(options(out, { confirm }))).toMatchObject({
        stopped: "refused",
        left: 3,
      });
      expect(await evaluate(options(out, { confirm }))).toMatchObject({ left: 0 });
      expect(asked).toEqual([3, 2]);
    });
  });

  it("writes a plan before any run, and refuses another one in its place", async () => {
    await inFolder(async (out) => {
      const { stopped, results } = await evaluate(options(out, { preregister: true }));
      expect(stopped).toBe("preregistered");
      expect(await readdir(join(out, "runs"))).toEqual([]);

      await expect(evaluate(options(out, { margin: 0.1 }))).rejects.toThrow(
        /preregistered at .*what differs is margin/u,
      );
      await evaluate(options(out));
      expect((await readResults(out)).preregistered).toBe(results.preregistered);
    });
  });
});
