// Puts 500 mutants into core, and counts those that the unit tests find: the tests of core, and of the packages that core
// was divided into. Prints the share, and writes it to bench/results/mutants.json with each mutant that survived.
//
//   npm run dev -- mutants [--seed 46] [--count 500] [--verify 16]
//
// All mutants are compiled into the sources at once, and one at a time is switched on (`switch-mutants.ts`). A mutant is
// tried by each fast test that reaches it and then by a few slow ones, until one fails (`mutant-runner.ts`). Each file of tests has
// a process of its own, and another one after a mutant that left something behind. `--verify` tries a sample again by
// another way: the mutant alone is put into the sources, and the tests run as always.
//
// Two runs of different code are compared by their shares: each has 500 mutants, by the same rule and seed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import type { Plugin } from "vitest/config";
import { BaseSequencer, type CliOptions, startVitest, type TestSpecification } from "vitest/node";

import { type ChosenMutant, chooseMutants, mutatedPackages } from "./choose-mutants.ts";
import { endedIn, foundIn, type LogLine, mutantLog } from "./mutant-log.ts";
import { putMutant, switchMutants } from "./switch-mutants.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "46" },
    count: { type: "string", default: "500" },
    verify: { type: "string", default: "16" },
  },
});

/** Small files of tests are quick, and each mutant that they find is tried by no other. */
class SmallestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, two) => statSync(one.moduleId).size - statSync(two.moduleId).size);
  }
}

// A short run, with its fixed seed, must find the mutants.
delete process.env["SCM_LONG"];
delete process.env["SCM_SEED"];
// Long-only tests may be those that find a mutant.
process.env["SCM_EVERY_FORM"] = mutatedPackages.join();

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "scm-mutants-"));
process.env["SCM_MUTANTS"] = folder;
const log = mutantLog(folder);
const started = Date.now();
const seed = Number(values.seed);
const mutants = chooseMutants(root, seed, Number(values.count));
const packages = mutatedPackages.filter((name) => existsSync(join(root, "packages", name)));

for (const isSlow of [false, true]) {
  process.env["SCM_MUTANTS_SLOW"] = isSlow ? "1" : "0";
  for (const name of packages) await tryAll(join(root, "packages", name), isSlow);
}
const unsound = log.read().flatMap((line) => (line.type === "unsound" ? [line.test] : []));
if (unsound.length > 0) throw new Error(`tests fail without mutants: ${unsound.join("; ")}`);

const lines = log.read();
const found = foundIn(lines);
const tried = new Set(lines.flatMap((line) => (line.type === "try" ? [line.id] : [])));
const survivors = mutants.filter(({ id }) => !found.has(id));
const seconds = Math.round((Date.now() - started) / 1000);
const sample = Number(values.verify);
const result = {
  benchmark: "mutants",
  node: process.version,
  commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
  processor: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
  load: loadavg().map((one) => Number(one.toFixed(2))),
  seconds,
  seed,
  packages,
  mutants: mutants.length,
  found: found.size,
  share: Number((found.size / mutants.length).toFixed(4)),
  foundByTime: [...found.values()].filter(({ by }) => by !== "failure").length,
  reachedByNoTest: survivors.filter(({ id }) => !tried.has(id)).length,
  triedAgain: { mutants: sample, differing: await differing(sample) },
  byOperator: sharesBy("operator", new Set(found.keys())),
  byRoom: sharesBy("room", new Set(found.keys())),
  survivors: survivors.map(textOf).toSorted(),
};
rmSync(folder, { recursive: true });
writeFileSync(
  join(root, "bench", "results", "mutants.json"),
  `${JSON.stringify(result, undefined, 2)}\n`,
);
console.log(`${result.found} of ${result.mutants} mutants found (${result.share}) in ${seconds} s`);

/** Runs the tests of a package, and again those files that need another process. */
async function tryAll(place: string, isSlow: boolean): Promise<void> {
  let files = isSlow ? filesOf("slow", log.read(), place) : [place];
  while (files.length > 0) {
    const before = log.read().length;
    await runTests(place, files, switchPlugin(), {
      runner: join(import.meta.dirname, "mutant-runner.ts"),
      // A mutant can leave something behind that a test of another file would see.
      isolate: true,
    });
    const lines = log.read().slice(before);
    const ended = endedIn(lines);
    for (const { id, file, test } of ended) log.write({ type: "found", id, by: "end", file, test });
    files = [...filesOf("spoilt", lines, place), ...ended.map(({ file }) => file)];
  }
}

function filesOf(type: LogLine["type"], lines: readonly LogLine[], place: string): string[] {
  const files = lines.flatMap((line) => (line.type === type ? [line.file] : []));
  return [...new Set(files)].filter((file) => file.startsWith(join(place, "test")));
}

/** Runs files of tests of a package, and returns the names of those tests, or else files, that failed. */
async function runTests(
  place: string,
  files: readonly string[],
  plugin: Plugin,
  options: CliOptions,
): Promise<readonly string[]> {
  // Vitest sets the exit code for a failed test, and for a process that ended.
  const before = process.exitCode;
  const vitest = await startVitest(
    "test",
    [...files],
    {
      root: place,
      watch: false,
      // The key of a kept module knows nothing of the mutant.
      fsModuleCache: false,
      maxWorkers: 2,
      testTimeout: 600_000,
      dangerouslyIgnoreUnhandledErrors: true,
      reporters: [{}],
      sequence: { sequencer: SmallestFirst },
      ...options,
    },
    { plugins: [plugin] },
  );
  const failed = vitest.state.getTestModules().flatMap((module) => {
    const tests = [...module.children.allTests("failed")].map(({ fullName }) => fullName);
    return module.ok() || tests.length > 0 ? tests : [module.moduleId];
  });
  await vitest.close();
  process.exitCode = before;
  return failed;
}

/** Puts all mutants into the sources, to be switched on. */
function switchPlugin(): Plugin {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const sources = mutatedPackages.map((name) => `packages/${name}/src/`);
  return plugin((file, source) =>
    sources.some((start) => file.startsWith(start))
      ? switchMutants(file, source, byFile.get(file) ?? [])
      : undefined,
  );
}

function onlyPlugin(mutant: ChosenMutant): Plugin {
  return plugin((file, source) => (file === mutant.file ? putMutant(source, mutant) : undefined));
}

function plugin(change: (file: string, source: string) => string | undefined): Plugin {
  return {
    name: "mutants",
    enforce: "pre",
    // Vitest keeps what it transformed between runs.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) =>
        /packages\/[^/]+\/src\//u.test(fileOf(id)) ? false : undefined,
      ),
    transform(source, id) {
      const code = change(fileOf(id), source);
      return code === undefined ? undefined : { code, map: null };
    },
  };
}

function fileOf(id: string): string {
  return relative(root, resolve(id)).replaceAll(sep, "/");
}

/**
 * Tries a sample again, one mutant alone in the sources: those that a failing test found, with the file of that test, and
 * for each seven of them one that survived, with all tests. Returns those that come out differently.
 */
async function differing(count: number): Promise<readonly string[]> {
  const failed = mutants.filter(({ id }) => found.get(id)?.by === "failure");
  const few = Math.floor(count / 8);
  const other: string[] = [];
  for (const mutant of [...failed.slice(0, count - few), ...survivors.slice(0, few)]) {
    const file = found.get(mutant.id)?.file;
    const by: string[] = [];
    for (const place of packages.map((name) => join(root, "packages", name)))
      if (file?.startsWith(join(place, "test")) ?? true)
        by.push(
          ...(await runTests(place, [file ?? place], onlyPlugin(mutant), {
            bail: 1,
            isolate: false,
          })),
        );
    if (by.length > 0 !== (file !== undefined))
      other.push(`${textOf(mutant)} (found by ${by[0] ?? "no test"})`);
  }
  return other;
}

function textOf({ file, line, operator, of, becomes }: ChosenMutant): string {
  return `${file}:${line} ${operator}: ${shortened(of)} → ${shortened(becomes) || "nothing"}`;
}

function shortened(code: string): string {
  const text = code.replaceAll(/\s+/gu, " ");
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function sharesBy(key: "operator" | "room", found: ReadonlySet<number>): object {
  const groups = [...Map.groupBy(mutants, (one) => one[key])].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return Object.fromEntries(
    groups.map(([name, all]) => [
      name,
      { mutants: all.length, found: all.filter(({ id }) => found.has(id)).length },
    ]),
  );
}
