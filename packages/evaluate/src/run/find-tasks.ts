import { EvaluateError } from "../model/evaluate-error.ts";
import { nearNames } from "../model/near-names.ts";
import type { Task } from "../model/task.ts";
import { ownTasks } from "../tasks/own-tasks.ts";

/** Returns own tasks by their names or families, or `all`, without repeats. Throws `EvaluateError` with `EVALUATE_PLAN`. */
export function findTasks(names: readonly string[], seed: number): readonly Task[] {
  const all = ownTasks(seed);
  const found = new Set<Task>();
  for (const name of names) {
    const named = all.filter(
      (task) => name === "all" || task.name === name || task.family === name,
    );
    if (named.length === 0) {
      const families = [...new Set(all.map(({ family }) => family))].join(", ");
      const near = nearNames(
        name,
        all.map((task) => task.name),
      );
      const hint = near.length === 0 ? "" : `; similar tasks: ${near.join(", ")}`;
      throw new EvaluateError(
        "EVALUATE_PLAN",
        `there is no task, family or folder ${JSON.stringify(name)}${hint}; the families are ${families}, and scm evaluate list shows all tasks`,
      );
    }
    for (const task of named) found.add(task);
  }
  return all.filter((task) => found.has(task));
}
