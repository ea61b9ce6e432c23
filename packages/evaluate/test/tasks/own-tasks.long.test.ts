import { codingTasks } from "../../src/tasks/coding/coding-tasks.ts";
import { ownTasks } from "../../src/tasks/own-tasks.ts";
import { describeFacts, describeTasks } from "./describe-tasks.ts";

describeTasks(ownTasks(1), { isShort: false });

describeTasks([2, 3].flatMap(ownTasks), { isShort: true });

describeFacts(ownTasks(1), (facts) => [...new Set([...facts.slice(0, 1), ...facts.slice(-1)])]);

describeFacts(codingTasks(2), (facts) => facts);
