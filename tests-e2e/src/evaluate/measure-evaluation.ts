// Do arms differ with a model that can only use what is in its request, and are the figures the same the second time?
//
// Real Pi does all own tasks of seed 1 in four arms, twice. Run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e evaluation
import {
  evaluationJson,
  evaluationPage,
  evaluationTable,
  evaluationText,
  readRequests,
} from "@self-context-manager/evaluate";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keepMeasured, rounded } from "../measured.ts";
import { evaluateArms, lastingResults } from "./evaluate-arms.ts";

const arms: readonly string[] = ["plain", "default", "thrifty", "no-folds"];
const place = await mkdtemp(join(tmpdir(), "scm-evaluation-"));
try {
  const times: number[] = [];
  const runs = [];
  for (const name of ["first", "second"]) {
    const began = performance.now();
    runs.push(
      await evaluateArms({
        out: join(place, name),
        arms,
        tasks: ["all"],
        onProgress: ({ done, all, record }) =>
          console.log(`${name} ${done} of ${all} ${record.task} ${record.arm}`),
      }),
    );
    times.push((performance.now() - began) / 60_000);
  }
  const [first, second] = runs;
  if (first === undefined || second === undefined) throw new TypeError("there are two rounds");
  const others = new Map(lastingResults(second).map((one) => [one.key, JSON.stringify(one)]));
  const differing = lastingResults(first)
    .filter((one) => others.get(one.key) !== JSON.stringify(one))
    .map(({ key, task, arm }) => ({ task, arm, ...firstDifference(place, key) }));
  const table = evaluationTable(first);
  console.log(evaluationText(table));
  const page = join(import.meta.dirname, "..", "..", "..", "bench", "results", "evaluation.html");
  await writeFile(page, evaluationPage(table));
  keepMeasured("evaluation", {
    minutes: times.map(rounded),
    runs: first.records.length,
    differingInTheSecondRound: differing,
    report: evaluationJson(table),
  });
} finally {
  await rm(place, { recursive: true });
}

/** The first request in which two runs of one key differ, with the texts around the place. */
function firstDifference(folder: string, key: string): object {
  const [one = [], other = []] = ["first", "second"].map((name) => bodiesOf(folder, name, key));
  const call = one.findIndex((body, index) => body !== other[index]);
  const [left = "", right = ""] = [one[call], other[call]];
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 100), at + 200);
  return { call: call + 1, first: around(left), second: around(right) };
}

/** The requests of a run, without the name of its temporary folder. */
function bodiesOf(folder: string, name: string, key: string): readonly string[] {
  const runs = join(folder, name, "runs");
  const run = readdirSync(runs).find((one) => one.endsWith(key)) ?? "";
  return readRequests(join(runs, run, "requests.jsonl")).map(({ body }) =>
    body.replaceAll(/scm-evaluate-[0-9a-f]+-[0-9a-f]+/gu, "PLACE"),
  );
}
