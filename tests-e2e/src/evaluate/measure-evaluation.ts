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
} from "@self-context-manager/evaluate";
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
  const other = new Map(lastingResults(second).map((one) => [JSON.stringify(one), one]));
  const differing = lastingResults(first).filter((one) => !other.has(JSON.stringify(one)));
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
