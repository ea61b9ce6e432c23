// Puts each deliberate fault into the sources, one at a time, and expects the package's own tests to fail. A fault that
// no test finds is printed, and the exit code is 1. Arguments select faults whose file, package or description has one
// of them in it:
//
//   npm run dev -- faults
//   npm run dev -- faults history/rewind
import { dirname, join, sep } from "node:path";
import { BaseSequencer, startVitest, type TestSpecification, type Vitest } from "vitest/node";

import { type DeliberateFault, faultPlugin } from "./deliberate-fault.ts";
import { faultyPackages } from "./faulty-packages.ts";

/** What a run of a package's tests with one fault, or without any, came to. */
interface Outcome {
  /** Names of tests that failed, and errors of files that could not be loaded. */
  readonly failures: readonly string[];
  /** Whether tests ran: a fault that lets no file load says nothing about the tests. */
  readonly hasRun: boolean;
}

// A short run, with its fixed seed, must find the faults.
delete process.env["SCM_LONG"];
delete process.env["SCM_SEED"];
// Long-only tests may be those that find a fault.
process.env["SCM_EVERY_FORM"] = faultyPackages.map(({ name }) => name).join();

const packages = join(import.meta.dirname, "..", "..", "packages");
const selection = process.argv.slice(2);
const started = Date.now();
const survived: string[] = [];
let tried = 0;

for (const { name, faults } of faultyPackages) {
  const folder = join(packages, name);
  const selected = faults.filter(({ file, breaks }) =>
    selection.length === 0
      ? true
      : selection.some((part) => `${name}/src/${file} ${breaks}`.includes(part)),
  );
  if (selected.length === 0) continue;
  const sound = await runTests(folder);
  if (sound.failures.length > 0 || !sound.hasRun)
    throw new Error(`${name}: tests fail without any fault: ${sound.failures.join("; ")}`);
  for (const fault of selected) {
    const faultStarted = Date.now();
    const { failures, hasRun } = await runTests(folder, fault);
    tried += 1;
    const isFound = hasRun && failures.length > 0;
    const by = isFound ? failures[0] : hasRun ? "no test" : "no test, because none could run";
    const text = `${name}/src/${fault.file}: ${fault.breaks}`;
    if (!isFound) survived.push(text);
    console.log(`${isFound ? "✓" : "✗"} ${text} (${seconds(faultStarted)})\n    found by ${by}`);
  }
}

console.log(`\n${tried - survived.length} of ${tried} faults found in ${seconds(started)}`);
for (const text of survived) console.log(`✗ not found: ${text}`);
if (survived.length > 0 || tried === 0) process.exitCode = 1;

async function runTests(folder: string, fault?: DeliberateFault): Promise<Outcome> {
  // Vitest sets the exit code for a failed test, which is what is wanted here.
  const before = process.exitCode;
  const vitest = await startVitest(
    "test",
    [],
    {
      root: folder,
      watch: false,
      // One failure is enough.
      bail: 1,
      // The tests share no state but caches by object, and most of the time goes into loading modules.
      isolate: false,
      // The key of a kept module knows nothing of the fault.
      fsModuleCache: false,
      maxWorkers: 1,
      // On a busy machine a sound test may take longer than the usual five seconds.
      testTimeout: 60_000,
      reporters: [{}],
      ...(fault === undefined ? {} : { sequence: { sequencer: roomFirst(folder, fault) } }),
    },
    fault === undefined ? {} : { plugins: [faultPlugin(folder, fault)] },
  );
  const outcome = outcomeOf(vitest);
  await vitest.close();
  process.exitCode = before;
  return outcome;
}

function outcomeOf(vitest: Vitest): Outcome {
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failed = tests.filter((one) => one.result().state === "failed");
  const broken = modules.flatMap((module) => module.errors().map(({ message }) => message));
  return {
    failures: [...failed.map(({ fullName }) => fullName), ...broken],
    hasRun: tests.some((one) => ["passed", "failed"].includes(one.result().state)),
  };
}

/** Tests of the fault's own room come first, because they are the likeliest to find it. */
function roomFirst(folder: string, fault: DeliberateFault): typeof BaseSequencer {
  const room = join(folder, "test", dirname(fault.file), sep);
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      const inRoom = sorted.filter(({ moduleId }) => moduleId.startsWith(room));
      return [...inRoom, ...sorted.filter((one) => !inRoom.includes(one))];
    }
  };
}

function seconds(from: number): string {
  return `${((Date.now() - from) / 1000).toFixed(1)} s`;
}
