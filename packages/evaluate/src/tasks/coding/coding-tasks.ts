import type { Task } from "../../model/task.ts";
import { expressionPower } from "./expression-power.ts";
import { invoiceRounding } from "./invoice-rounding.ts";
import { retryBackoff } from "./retry-backoff.ts";

/** The tasks in small repositories of JavaScript with hidden tests. */
export function codingTasks(seed: number): readonly Task[] {
  return [invoiceRounding(seed), retryBackoff(seed), expressionPower(seed)];
}
