import type { Task } from "../../model/task.ts";
import { changedPrices } from "./changed-prices.ts";
import { deletedOrders } from "./deleted-orders.ts";
import { equalNames } from "./equal-names.ts";
import { oldLog } from "./old-log.ts";
import { poisonedOutputs } from "./poisoned-outputs.ts";
import { twoConfigurations } from "./two-configurations.ts";

/** The tasks in which other programs and texts interfere, made from a seed. */
export function interferenceTasks(seed: number): readonly Task[] {
  return [
    changedPrices(seed),
    equalNames(seed),
    oldLog(seed),
    poisonedOutputs(seed),
    twoConfigurations(seed),
    deletedOrders(seed),
  ];
}
