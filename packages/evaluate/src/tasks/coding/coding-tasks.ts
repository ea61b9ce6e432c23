import type { Task } from "../../model/task.ts";
import { invoiceRounding } from "./invoice-rounding.ts";

/** The tasks in small repositories of JavaScript with hidden tests. */
export function codingTasks(seed: number): readonly Task[] {
  return [invoiceRounding(seed)];
}
