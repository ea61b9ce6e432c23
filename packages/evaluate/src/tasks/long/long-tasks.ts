import type { Task } from "../../model/task.ts";
import { closedBoxes } from "./closed-boxes.ts";
import { decisionTable } from "./decision-table.ts";
import { flakySuite } from "./flaky-suite.ts";
import { glossary } from "./glossary.ts";
import { portConventions } from "./port-conventions.ts";
import { revertedChoices } from "./reverted-choices.ts";
import { stationLog } from "./station-log.ts";
import { stockLedger } from "./stock-ledger.ts";

/** The tasks of one session with 100 to 300 prompts, made from a seed. */
export function longTasks(seed: number): readonly Task[] {
  return [
    stationLog(seed),
    portConventions(seed),
    flakySuite(seed),
    revertedChoices(seed),
    stockLedger(seed),
    closedBoxes(seed),
    decisionTable(seed),
    glossary(seed),
  ];
}
