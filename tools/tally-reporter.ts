import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints a line with the counts of the run, which tools/verify.mjs adds up. `SCM_RUN` names the run of `npm test`, which
 * distinguishes it from the line of an earlier run, which Turborepo prints again for tests whose inputs are the same. A file
 * that fails before its first test counts as one failed test.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tally = { run: process.env["SCM_RUN"], passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") tally.passed += 1;
        else if (state === "failed") failedTests += 1;
        else tally.skipped += 1;
      }
      if (failedTests === 0 && !module.ok()) failedTests = 1;
      tally.failed += failedTests;
    }
    if (tally.run !== undefined) console.log(`TALLY ${JSON.stringify(tally)}`);
  }
}
