// Runs the benchmarks whose figures are ratios, and writes one table of them.
//
//   npm run bench                 all of them; writes `results/figures.json` and the table in README.md
//   npm run bench -- --quick      the short ones, in five minutes; fails if a ratio is 15 % worse than the kept one
//   npm run bench -- --quick --keep   the same, and keeps the ratios in `results/quick-figures.json`
//   npm run bench -- --table      no benchmark: the table from the results that are there
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import {
  type Benchmark,
  figures,
  figureTable,
  type MeasuredFigure,
  measuredFigures,
  regressions,
} from "./figures.ts";

const given = process.argv.slice(2);
const unknown = given.filter((one) => !["--quick", "--keep", "--table"].includes(one));
if (unknown.length > 0)
  fail(`there is no option ${unknown.join(" ")}; there are --quick, --keep and --table`);

const [tableBegin, tableEnd] = ["<!-- figures -->", "<!-- end of the figures -->"];
const kept = new URL("../results/", import.meta.url);
if (given.includes("--quick")) runQuick();
else {
  if (!given.includes("--table")) for (const one of benchmarks(figures)) run(one, {});
  keepTable(measuredFigures(kept));
}

/** Runs the short benchmarks with results of their own, and compares the figures with the kept ones. */
function runQuick(): void {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  const quick = figures.filter(({ of }) => of.isQuick === true);
  for (const one of benchmarks(quick)) run(one, { SCM_BENCH: "quick", SCM_BENCH_RESULTS: folder });
  const measured = measuredFigures(pathToFileURL(`${folder}/`), quick);
  const file = new URL("quick-figures.json", kept);
  console.log(figureTable(measured));
  if (given.includes("--keep")) {
    writeFileSync(file, `${JSON.stringify(measured, undefined, 2)}\n`);
    return;
  }
  const former = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as MeasuredFigure[])
    : [];
  const worse = regressions(former, measured);
  if (worse.length > 0) fail(`ratios that are more than 15 % worse:\n${worse.join("\n")}`);
  console.log(`${measured.length} ratios, none more than 15 % worse than the kept one`);
}

function benchmarks(all: typeof figures): readonly Benchmark[] {
  return [...new Set(all.map(({ of }) => of))];
}

function run({ folder, script }: Benchmark, environment: Record<string, string>): void {
  const begun = performance.now();
  console.error(`${script} ...`);
  const { status } = spawnSync(
    "pnpm",
    ["--silent", "--filter", `@self-context-manager/${folder}`, "run", script],
    { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...environment } },
  );
  if (status !== 0) fail(`the benchmark ${script} failed with exit code ${status}`);
  console.error(`${script}: ${Math.round((performance.now() - begun) / 1000)} s`);
}

/** Writes the figures, and puts their table into README.md. */
function keepTable(measured: readonly MeasuredFigure[]): void {
  writeFileSync(new URL("figures.json", kept), `${JSON.stringify(measured, undefined, 2)}\n`);
  const readme = new URL("../README.md", import.meta.url);
  const text = readFileSync(readme, "utf8");
  const [before, after] = [text.indexOf(tableBegin), text.indexOf(tableEnd)];
  if (before === -1 || after === -1) fail("README.md has no place for the table");
  const head = text.slice(0, before + tableBegin.length);
  writeFileSync(readme, `${head}\n\n${figureTable(measured)}\n\n${text.slice(after)}`);
  console.log(figureTable(measured));
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
