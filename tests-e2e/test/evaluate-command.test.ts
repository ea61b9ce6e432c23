import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { brokenReport, ledgerOf, undisturbedReport } from "../src/evaluate/broken-evaluation.ts";
import { evaluationKey, openEvaluationPlace } from "../src/evaluate/evaluation-command.ts";
import { everyPiVersion } from "../src/pi-versions.ts";

const pi = everyPiVersion.at(-1) ?? lacking();

describe("scm evaluate as a process", () => {
  test("makes a table from a server's URL and a key, which is in no file", async () => {
    await using place = await openEvaluationPlace({ pi });

    const { code, stdout, stderr } = await place.startRun("out", "--budget", "5").ended;

    expect(stderr).toMatch(
      /^1 of 2 {2}mine\/copy-1 {2}plain {2}seed 1 {2}solved, 3 calls, \$0\.\d+$/mu,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^plain +1 of 1 /mu);
    expect(stdout).toMatch(/^default +1 of 1 /mu);
    expect(stdout).toMatch(/^dollars +\$0\.\d+ +\$0\.\d+$/mu);
    const files = await place.filesIn("out");
    expect([...files].filter(([, text]) => text.includes(evaluationKey))).toEqual([]);
    expect([...files.keys()].filter((path) => path.endsWith("requests.jsonl"))).toHaveLength(2);
    expect(place.processes("out")).toEqual([]);

    expect((await place.start("verify", "out").ended).code).toBe(0);
    await tamper([...files.keys()].find((path) => path.endsWith("run.json")) ?? "");
    const verified = await place.start("verify", "out").ended;
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain("figures in run.json: ");
  });

  test("has the same report after it was killed and continued", async () => {
    // The last request of the second run, whose first command has left a process in the background.
    const [whole, broken] = await Promise.all([undisturbedReport(pi), brokenReport(pi, 5)]);

    expect(broken.report).toEqual(whole);
    expect(broken.calls).toBeGreaterThan(6);
    expect(broken.ledger).toBe(broken.calls);
    expect(broken.left.join("\n")).toContain("sleep 1000");
    expect(broken.processes).toEqual([]);
  });

  test("exceeds its budget by at most one call with three runs at once", async () => {
    await using place = await openEvaluationPlace({ pi, tasks: 2 });
    const budget = 0.02;

    const { code, stderr } = await place.startRun("out", "--budget", "0.02", "--parallel", "3")
      .ended;

    expect(stderr).toMatch(
      /the budget is spent, and \d runs? (?:is|are) left; scm evaluate report out /u,
    );
    expect(code).toBe(1);
    const spent = (await ledgerOf(place, "out")).flatMap(({ dollars }) => dollars ?? []);
    const total = spent.reduce((all, one) => all + one, 0);
    expect(total).toBeGreaterThanOrEqual(budget);
    expect(total - Math.max(...spent)).toBeLessThan(budget);
  });

  test("ends with Ctrl-C, and says how to go on", async () => {
    await using place = await openEvaluationPlace({
      pi,
      script: () => ({ type: "hang", text: "let me think" }),
    });
    const command = place.startRun("out");
    await place.model.received(0);

    command.process.kill("SIGINT");
    const { code, stderr } = await command.ended;

    expect(stderr).toContain("ending the runs that are in progress");
    expect(stderr).toContain(
      "interrupted: 0 of 2 runs are done, and those in progress are not kept",
    );
    expect(stderr).not.toContain("unexpected");
    expect(code).toBe(1);
    expect(place.processes("out")).toEqual([]);
  });

  test("stops at a wrong key, and keeps no run", async () => {
    await using place = await openEvaluationPlace({
      pi,
      script: () => ({ type: "error", status: 401, message: "no such key" }),
    });

    const { code, stderr } = await place.startRun("out").ended;

    expect(stderr).toContain("no such key");
    expect(stderr).toContain("Check the key and the variable that has it");
    expect(code).toBe(1);
    expect(await readdir(join(place.folder, "out", "runs"))).toEqual([]);
  });
});

async function tamper(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/"calls": 3/u, '"calls": 2'));
}

function lacking(): never {
  throw new TypeError("no release of Pi is tested");
}
