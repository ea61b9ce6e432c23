import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";

/**
 * Prints the results of a benchmark with the machine, the load and the commit, and stores them in `results/`, or in
 * the folder that `SCM_BENCH_RESULTS` names.
 */
export function report(name: string, results: Readonly<Record<string, unknown>>): void {
  const whole = {
    benchmark: name,
    node: process.version,
    commit: commitName(),
    processor: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    load: loadavg().map((load) => rounded(load)),
    ...results,
  };
  const text = JSON.stringify(whole, undefined, 2);
  const folder = process.env["SCM_BENCH_RESULTS"] ?? join(import.meta.dirname, "..", "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${text}\n`);
  console.log(text);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function commitName(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    // Run from an archive: the results are stored without the commit.
    return "unknown";
  }
}
