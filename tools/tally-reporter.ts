import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Appends one line of counts per run to the file that `SCM_TALLY` names; tools/verify.mjs adds the
 * lines up. A file that fails before its first test counts as one failed test.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const file = process.env["SCM_TALLY"];
    if (file === undefined) return;
    const tally = { passed: 0, failed: errors.length, skipped: 0 };
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
    appendFileSync(file, `${JSON.stringify(tally)}\n`);
  }
}
