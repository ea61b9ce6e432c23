import type { Task } from "../../model/task.ts";
import { csvImport } from "./csv-import.ts";
import { expressionPower } from "./expression-power.ts";
import { invoiceRounding } from "./invoice-rounding.ts";
import { layeredConfig } from "./layered-config.ts";
import { planLimits } from "./plan-limits.ts";
import { renameLookup } from "./rename-lookup.ts";
import { retryBackoff } from "./retry-backoff.ts";
import { stockAudit } from "./stock-audit.ts";
import { textWrapping } from "./text-wrapping.ts";

/** The tasks in small repositories of JavaScript with hidden tests. */
export function codingTasks(seed: number): readonly Task[] {
  return [
    csvImport(seed),
    expressionPower(seed),
    invoiceRounding(seed),
    layeredConfig(seed),
    planLimits(seed),
    renameLookup(seed),
    retryBackoff(seed),
    stockAudit(seed),
    textWrapping(seed),
  ];
}
