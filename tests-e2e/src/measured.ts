import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";

/**
 * Prints the results of a measurement by hand with their conditions, and writes them to `bench/results`, or to the folder that
 * `SCM_BENCH_RESULTS` names.
 */
export function keepMeasured(name: string, results: Readonly<Record<string, unknown>>): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const text = JSON.stringify(
    {
      run: name,
      node: process.version,
      commit,
      processor: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
      load: loadavg().map(rounded),
      ...results,
    },
    undefined,
    2,
  );
  const kept = join(import.meta.dirname, "..", "..", "bench", "results");
  writeFileSync(join(process.env["SCM_BENCH_RESULTS"] ?? kept, `${name}.json`), `${text}\n`);
  console.log(text);
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
