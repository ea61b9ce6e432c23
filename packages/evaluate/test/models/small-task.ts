import type { Task, TaskStep } from "../../src/model/task.ts";

/** A task of three prompts: a value is shown once by a command, another by a file, and both are needed later. */
export const smallTask: Task = {
  name: "memory/small",
  family: "memory",
  version: 1,
  seed: 1,
  title: "Finds two values again.",
  workspace: {
    files: { "src/limits.txt": "rate = 41\nburst = 7\n", "code.txt": "door code 9315\n" },
  },
  steps: [
    {
      type: "prompt",
      text: "Look around and tell me when you know the code.",
      moves: [
        { type: "run", command: "cat code.txt && rm code.txt" },
        { type: "answer", text: "I know it." },
      ],
    },
    {
      type: "prompt",
      text: "Continue.",
      moves: [
        { type: "read", path: "src/limits.txt" },
        { type: "run", command: "echo nothing" },
        { type: "edit", path: "src/limits.txt", oldText: "burst = 7", newText: "burst = 8" },
        { type: "answer", text: "Done." },
      ],
    },
    {
      type: "prompt",
      text: "Continue.",
      moves: [
        { type: "write", path: "out.txt", content: "{{code}} {{rate}}\n" },
        { type: "answer", text: "The code is {{code}} and the rate {{rate}}." },
      ],
    },
  ] satisfies readonly TaskStep[],
  facts: [
    {
      id: "code",
      pattern: "^door code (\\d+)$",
      value: "9315",
      neededAt: [2],
      source: "cat code.txt && rm code.txt",
    },
    {
      id: "rate",
      pattern: "^rate = (\\d+)$",
      value: "41",
      neededAt: [2],
      source: "src/limits.txt",
      recover: [{ type: "read", path: "src/limits.txt" }],
    },
  ],
  checks: [],
  hidden: {},
  limits: { calls: 50, minutes: 1 },
};
