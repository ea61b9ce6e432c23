// Runs every check of the workspace. Each step has a heading with its duration; its output is shown only if the step
// failed or is a test run. A failed step does not stop the others, and the exit code is 1 if any step failed.
// The last line is always `N passed, N failed, N skipped`, summed over all test runs.
// With --long only the test runs, with SCM_LONG=1: more and longer cases, from a new seed that is printed. It also
// checks that the tests find deliberate faults. The result is written to bench/results/long-run.json.
import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} script of the root manifest
 * @property {boolean} [test] a test run, whose output is always shown
 * @property {readonly string[]} [needs] steps that must have passed
 */

const long = process.argv.includes("--long");
const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };

/** @type {readonly Step[]} */
const checks = [
  { name: "lint", script: "lint" },
  { name: "format", script: "format:check" },
  { name: "boundaries", script: "boundaries" },
  { name: "typecheck", script: "typecheck" },
  { name: "unused code", script: "unused" },
  { name: "licences", script: "licences" },
];
/** @type {readonly Step[]} */
const tests = [
  { name: "unit, contract and property tests", script: "unit", test: true },
  { name: "build", script: "build" },
  { name: "packages", script: "check:packages", needs: ["build"] },
  { name: "end-to-end tests", script: "e2e", test: true, needs: ["build", "packages"] },
];
/** @type {readonly Step[]} */
const longOnly = [{ name: "deliberate faults", script: "faults" }];
const steps = long ? [...tests, ...longOnly] : [...checks, ...tests];

const folder = mkdtempSync(join(tmpdir(), "scm-verify-"));
const tally = join(folder, "tally.jsonl");
writeFileSync(tally, "");
/** @type {string[]} */
const failed = [];
/** @type {{ step: string, passed: boolean, seconds: number }[]} */
const done = [];
const started = Date.now();
const seed = process.env["SCM_SEED"] ?? String(randomInt(2 ** 31));
if (long) console.log(`seed ${seed}; SCM_SEED=${seed} npm run test:long repeats this run`);

for (const step of steps) {
  const missing = step.needs?.find((name) => failed.includes(name));
  if (missing !== undefined) {
    console.log(`✗ ${step.name}: not run, because ${missing} failed`);
    failed.push(step.name);
    continue;
  }
  const stepStarted = Date.now();
  const { code, output } = await run(step);
  const passed = code === 0;
  if (!passed) failed.push(step.name);
  console.log(`${passed ? "✓" : "✗"} ${step.name} (${seconds(stepStarted)})`);
  done.push({ step: step.name, passed, seconds: (Date.now() - stepStarted) / 1000 });
  if (!passed || step.test) console.log(indent(output));
}

const sum = readFileSync(tally, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))
  .reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
rmSync(folder, { recursive: true });
if (long) writeLongRun();

console.log("");
if (failed.length === 0) console.log(`all ${steps.length} steps passed in ${seconds(started)}`);
else console.log(`failed: ${failed.join(", ")} (${seconds(started)})`);
if (failed.length > 0) process.exitCode = 1;
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);

/**
 * @param {Step} step
 * @returns {Promise<{ code: number, output: string }>}
 */
function run(step) {
  return new Promise((resolve) => {
    let output = "";
    const options = [
      "--reporter=default",
      "--reporter=./tools/tally-reporter.ts",
      // Many tests wait for databases and processes. Long runs use the processors fully, so they have one worker.
      `--maxWorkers=${long ? "1" : "100%"}`,
      // Only a test that hangs reaches this limit, also on a slow machine. It replaces those of the configurations.
      "--testTimeout=240000",
      "--hookTimeout=240000",
    ];
    const command = ["--silent", "run", step.script, ...(step.test ? options : [])];
    const child = spawn("pnpm", command, {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...withoutColours(process.env),
        ...colours,
        ...(long ? { SCM_LONG: "1", SCM_SEED: seed } : {}),
        SCM_TALLY: tally,
        TURBO_TELEMETRY_DISABLED: "1",
        NO_UPDATE_NOTIFIER: "1",
      },
    });
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 1, output: `${output}${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Records a long run in a file, which is committed with the change that it tested. */
function writeLongRun() {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const result = {
    run: "npm run test:long",
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    commit,
    processor: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    seed: Number(seed),
    seconds: Math.round((Date.now() - started) / 1000),
    steps: done,
    tests: sum,
  };
  const file = new URL("../bench/results/long-run.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

/** @param {NodeJS.ProcessEnv} environment */
function withoutColours({ FORCE_COLOR: _force, NO_COLOR: _no, ...rest }) {
  return rest;
}

/** @param {string} output */
function indent(output) {
  return output
    .trim()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}

/** @param {number} from */
function seconds(from) {
  return `${((Date.now() - from) / 1000).toFixed(1)} s`;
}
