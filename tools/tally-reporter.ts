import { join, relative } from "node:path";

import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Which test failed, and the first line of its error. */
interface Failure {
  readonly test: string;
  readonly error: string;
}

/**
 * Prints a line with the counts of the run and the names and errors of failed tests, which tools/verify.mjs adds up.
 * `SCM_RUN` names the run of `npm test`, which distinguishes it from the line of an earlier run, which Turborepo prints
 * again for tests whose inputs are the same. A file that fails before its first test counts as one failed test.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tally = {
      run: process.env["SCM_RUN"],
      passed: 0,
      skipped: 0,
      failures: errors.map((error) => failure("outside of the tests", error)),
    };
    for (const module of modules) {
      const { failures } = tally;
      const before = failures.length;
      for (const test of module.children.allTests()) {
        const { state, errors: reasons } = test.result();
        if (state === "passed") tally.passed += 1;
        else if (state === "failed")
          failures.push(failure(`${path(module)} > ${test.fullName}`, reasons?.[0]));
        else tally.skipped += 1;
      }
      if (failures.length === before && !module.ok()) {
        failures.push(failure(path(module), module.errors()[0]));
      }
    }
    if (tally.run !== undefined) console.log(`TALLY ${JSON.stringify(tally)}`);
  }
}

/** @param error of vitest, which passes errors of tests as objects with a message */
function failure(test: string, error: { message?: string } | undefined): Failure {
  return { test, error: error?.message?.split("\n")[0] ?? "" };
}

function path(module: TestModule): string {
  return relative(join(import.meta.dirname, ".."), module.moduleId);
}
