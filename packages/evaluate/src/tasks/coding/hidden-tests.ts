import type { TaskDraft } from "../task-draft.ts";

/** Adds tests that only the checker has, and the check that runs them and the tests of the repository. */
export function hiddenTests(draft: TaskDraft, name: string, source: string): void {
  draft.hide("test/hidden.js", source);
  const tests = [...source.matchAll(/^test\(/gmu)].length;
  draft.check({
    type: "command",
    name,
    command: ["node", "test/hidden.js"],
    // The summary of the runner, in each of its forms.
    prints: `pass ${String(tests)}`,
  });
  draft.check({
    type: "command",
    name: "the tests of the repository",
    command: ["node", "test/run.js"],
    prints: " passed, 0 failed",
  });
}
