import type { Task } from "../model/task.ts";
import { codingTasks } from "./coding/coding-tasks.ts";
import { interferenceTasks } from "./interference/interference-tasks.ts";
import { longTasks } from "./long/long-tasks.ts";
import { memoryTasks } from "./memory/memory-tasks.ts";

/** All tasks that are generated from a seed. */
export function ownTasks(seed: number): readonly Task[] {
  return [
    ...codingTasks(seed),
    ...longTasks(seed),
    ...memoryTasks(seed),
    ...interferenceTasks(seed),
  ];
}
