import { codingTasks } from "../../src/tasks/coding/coding-tasks.ts";
import { ownTasks } from "../../src/tasks/own-tasks.ts";
import { describeFacts, describeTasks } from "./describe-tasks.ts";

describeTasks([2, 3].flatMap(ownTasks), { isShort: true });

describeFacts(codingTasks(2), (facts) => facts);
