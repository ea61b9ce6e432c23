import type { Task } from "../../src/model/task.ts";
import { smallTask } from "../models/small-task.ts";

/** Returns tasks that differ in their numbers, with a check of each. */
export function smallTasks(count: number, seed = 1): readonly Task[] {
  return Array.from({ length: count }, (_, index) => {
    const code = String(1_000 * seed + 37 * index + 111);
    const text = JSON.stringify(smallTask)
      .replaceAll("9315", code)
      .replace("I know it.", "I know it: {{code}}.");
    const task: Task = JSON.parse(text);
    return {
      ...task,
      name: `memory/small-${index}`,
      seed,
      facts: task.facts.map((fact) => (fact.id === "code" ? { ...fact, neededAt: [0, 2] } : fact)),
      checks: [
        { type: "answer", name: "the code", step: 2, includes: [code, "rate 41"] },
        { type: "file", name: "the file", path: "out.txt", content: `${code} 41\n` },
      ],
    };
  });
}
