import type { Task } from "../../src/model/task.ts";

/** A small task with the given parts. */
export function aTask(parts: Partial<Task>): Task {
  return {
    name: "external/small",
    family: "external",
    version: 1,
    seed: 0,
    title: "A small task.",
    workspace: { files: { "src/sum.js": "export const sum = (a, b) => a - b;\n" } },
    steps: [{ type: "prompt", text: "Correct the sum." }],
    facts: [],
    checks: [],
    hidden: {},
    limits: { calls: 10, minutes: 1 },
    ...parts,
  };
}
