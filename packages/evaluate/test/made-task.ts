import type { Task } from "../src/model/task.ts";

/** Returns a task with one prompt and nothing else, except for the given parts. */
export function madeTask(parts: Partial<Task> = {}): Task {
  return {
    name: "coding/made",
    family: "coding",
    version: 1,
    seed: 1,
    title: "A task that a test made.",
    workspace: { files: {} },
    steps: [{ type: "prompt", text: "Do it." }],
    facts: [],
    checks: [],
    hidden: {},
    limits: { calls: 10, minutes: 1 },
    ...parts,
  };
}
