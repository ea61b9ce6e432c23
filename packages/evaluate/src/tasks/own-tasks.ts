import type { Task } from "../model/task.ts";
import { codingTasks } from "./coding/coding-tasks.ts";

/** All tasks that are generated from a seed. */
export function ownTasks(seed: number): readonly Task[] {
  return [...codingTasks(seed)];
}
