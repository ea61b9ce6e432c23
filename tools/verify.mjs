// Runs every check of the workspace, several steps at a time. Each step has a heading with its duration; its output is
// shown only if the step failed or is a test run. A failed step does not stop the others, and the exit code is 1 if any
// step failed. At the end, each failed test has a line. The last line is always `N passed, N failed, N skipped`, summed
// over all test runs. A test run whose inputs passed before is not repeated: Turborepo prints its output again, and its
// tests count as `cached`.
//
//   --changed   only the tests that import a file that differs from main, and the checks
//   --long      the test runs, with SCM_LONG=1: more and longer cases, from a new seed that is printed. It also checks that
//               the tests find deliberate faults, and runs the compiler's own type check. The result is written to
//               bench/results/long-run.json.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

import { changedPackages, mainCommit } from "./changed-packages.mjs";

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly string[]} command of pnpm
 * @property {boolean} [test] a test run, whose output is always shown
 * @property {readonly string[]} [needs] steps that must have passed
 * @property {boolean} [alone] in a long run, no other step runs beside it
 */

const long = process.argv.includes("--long");
const onlyChanged = process.argv.includes("--changed");
const run = randomUUID();
const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
const seed = process.env["SCM_SEED"] ?? String(randomInt(2 ** 31));
const main = mainCommit();
const machine = tools();
/** The packages whose long-only tests run. */
const everyForm = long ? [] : changedPackages(main);

/** The line of tools/tally-reporter.ts, also with the name of the task before it. */
const tallyLine = /^.*\bTALLY (\{.*\})$\n?/gmu;

const vitest = [
  "--reporter=default",
  "--reporter=../../tools/tally-reporter.ts",
  // The steps share the processors.
  "--maxWorkers=1",
];
const fromRoot = vitest.map((option) => option.replace("=../../", "=./"));
const fromTests = vitest.map((option) => option.replace("=../../", "=../"));

/** @type {readonly Step[]} */
const build = [
  { name: "build", command: ["run", "build"] },
  { name: "packages", command: ["run", "check:packages"], needs: ["build"] },
];
/** @type {readonly Step[]} */
const checks = [
  { name: "lint and types", command: ["run", "lint"] },
  { name: "format", command: ["run", "format:check"] },
  { name: "boundaries", command: ["run", "boundaries"] },
  { name: "unused code", command: ["run", "unused"] },
  { name: "licences", command: ["run", "licences"] },
];
/**
 * The families of end-to-end tests, the longest first.
 * @type {readonly Step[]}
 */
const families = [
  "openclaw",
  "xtdb",
  "pi",
  "pi-more",
  "inspector",
  "sessions",
  "docs",
  "agents",
  "stores",
].map((family) => ({
  name: `end-to-end tests: ${family}`,
  // Beside another long step, a gateway needs minutes for what takes seconds, and laws exceed their time.
  alone: family === "openclaw",
  command: turbo(`test:${family}`, ["--filter=./tests-e2e"], fromTests),
  test: true,
  needs: ["build", "packages"],
}));
/** @type {readonly Step[]} */
const tests = [
  {
    name: "tests of store-xtdb",
    command: turbo("test", ["--filter=./packages/store-xtdb"], vitest),
    test: true,
  },
  ...families,
  {
    name: "tests of the packages",
    command: turbo(
      "test",
      ["--filter=./packages/*", "--filter=!./packages/store-{xtdb,contract}"],
      vitest,
    ),
    test: true,
  },
  {
    name: "tests of the tools",
    command: ["exec", "vitest", "run", "--project", "tools", ...fromRoot],
    test: true,
  },
];
/** @type {readonly Step[]} */
const changedTests = [
  {
    name: "tests that import a changed file",
    command: ["exec", "vitest", "run", `--changed=${main}`, "--passWithNoTests", ...fromRoot],
    test: true,
  },
  {
    name: "end-to-end tests that import a changed file",
    command: [
      "exec",
      "vitest",
      "run",
      "--root",
      "tests-e2e",
      `--changed=${main}`,
      "--passWithNoTests",
      ...fromTests,
    ],
    test: true,
    needs: ["build", "packages"],
  },
];
/**
 * The compiler finds the type errors that the linter finds, and declarations whose type only other files say. The build
 * finds such declarations of packages, so only those of tests remain for the long run.
 * @type {readonly Step[]}
 */
const typecheck = [{ name: "typecheck", command: ["run", "typecheck"] }];
/** @type {readonly Step[]} */
const faults = [{ name: "deliberate faults", command: ["run", "faults"] }];

const steps = long
  ? [...build, ...tests, ...typecheck, ...faults]
  : [...build, ...(onlyChanged ? changedTests : tests), ...checks];

/**
 * Steps that run at the same time. Many tests wait for databases and processes, so there is one more than processors. Long
 * runs use the processors fully.
 */
const places = long ? availableParallelism() : availableParallelism() + 1;

/** @type {Map<string, boolean>} */
const ended = new Map();
/** @type {{ step: string, passed: boolean, seconds: number }[]} */
const done = [];
const sum = { passed: 0, failed: 0, skipped: 0, cached: 0 };
/** @type {string[]} */
const failures = [];
const started = Date.now();
if (long) console.log(`seed ${seed}; SCM_SEED=${seed} npm run test:long repeats this run`);
if (onlyChanged && main === undefined) {
  throw new Error(
    "--changed compares with main, and git knows no branch main; set SCM_BASE to a commit",
  );
}
if (everyForm.length > 0) {
  console.log(`changed since main, so their long-only tests run too: ${everyForm.join(", ")}`);
}

await runAll();

const failed = steps.map(({ name }) => name).filter((name) => ended.get(name) !== true);
if (long) writeLongRun();
console.log(["", ...failures].join("\n"));
if (failed.length === 0) console.log(`all ${steps.length} steps passed in ${seconds(started)}`);
else console.log(`failed: ${failed.join(", ")} (${seconds(started)})`);
if (sum.cached > 0) {
  console.log(`${sum.cached} of the tests are cached: they passed before with the same inputs`);
}
if (failed.length > 0) process.exitCode = 1;
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);

/** Starts each step as soon as there is a place and what it needs has ended, in the order of the list. */
async function runAll() {
  const waiting = [...steps];
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  let isOneAlone = false;
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(
      ({ needs = [], alone }) =>
        needs.every((name) => ended.has(name)) && !(long && alone && running.size > 0),
    );
    /** @type {Step | undefined} */
    const step = running.size < (isOneAlone ? 1 : places) ? waiting[next] : undefined;
    if (step === undefined) {
      await Promise.race(running);
      continue;
    }
    waiting.splice(next, 1);
    isOneAlone = long && step.alone === true;
    const ending = runStep(step).finally(() => running.delete(ending));
    running.add(ending);
  }
}

/** @param {Step} step */
async function runStep(step) {
  const missing = step.needs?.find((name) => ended.get(name) !== true);
  if (missing !== undefined) {
    console.log(`✗ ${step.name}: not run, because ${missing} failed`);
    ended.set(step.name, false);
    return;
  }
  const stepStarted = Date.now();
  const { code, output } = await execute(step);
  const passed = code === 0;
  ended.set(step.name, passed);
  const cached = addTallies(output);
  const notes = [seconds(stepStarted), ...(cached > 0 ? [`${cached} tests cached`] : [])];
  console.log(`${passed ? "✓" : "✗"} ${step.name} (${notes.join(", ")})`);
  done.push({ step: step.name, passed, seconds: (Date.now() - stepStarted) / 1000 });
  if (!passed || step.test) console.log(indent(output.replaceAll(tallyLine, "")));
}

/**
 * Adds the counts and the failed tests in the output of a step. Returns how many of its tests ran in an earlier run.
 * @param {string} output
 */
function addTallies(output) {
  let cached = 0;
  for (const [, text = ""] of output.matchAll(tallyLine)) {
    const tally = JSON.parse(text);
    sum.passed += tally.passed;
    sum.failed += tally.failures.length;
    for (const { test, error } of tally.failures) failures.push(`✗ ${test}: ${error}`);
    sum.skipped += tally.skipped;
    if (tally.run !== run) cached += tally.passed;
  }
  sum.cached += cached;
  return cached;
}

/**
 * @param {Step} step
 * @returns {Promise<{ code: number, output: string }>}
 */
function execute(step) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn("pnpm", ["--silent", ...step.command], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...withoutColours(process.env),
        ...colours,
        ...(long ? { SCM_LONG: "1", SCM_SEED: seed } : { SCM_EVERY_FORM: everyForm.join() }),
        SCM_RUN: run,
        SCM_MACHINE: machine,
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

/**
 * The command of a task that Turborepo does not repeat.
 * @param {string} task
 * @param {readonly string[]} filters
 * @param {readonly string[]} options of the task
 */
function turbo(task, filters, options) {
  const flags = ["--env-mode=loose", "--output-logs=full", "--log-order=grouped"];
  const run = ["exec", "turbo", "run", task, "--continue", "--concurrency=1", ...flags, ...filters];
  return [...run, "--", ...options];
}

/** The versions of the programs without which tests are skipped. A cached run counts only where they are the same. */
function tools() {
  const programs = [
    ["java", "--version"],
    ["mvn", "--version"],
  ];
  const versions = programs.map(([program = "", ...options]) => {
    const { status, stdout } = spawnSync(program, options, { encoding: "utf8" });
    return status === 0 ? stdout.split("\n")[0] : `no ${program}`;
  });
  return [process.platform, process.arch, process.version, ...versions].join("; ");
}

/** Records a long run in a file, which is committed with the change that it tested. */
function writeLongRun() {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const { cached: _none, ...counts } = sum;
  const result = {
    run: "npm run test:long",
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    commit,
    processor: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    seed: Number(seed),
    seconds: Math.round((Date.now() - started) / 1000),
    steps: done,
    tests: counts,
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
