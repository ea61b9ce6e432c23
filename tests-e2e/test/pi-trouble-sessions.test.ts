import { compaction } from "../src/trouble/scenarios/compaction.ts";
import { foreignTools } from "../src/trouble/scenarios/foreign-tools.ts";
import { overflow } from "../src/trouble/scenarios/overflow.ts";
import { shortSessions } from "../src/trouble/scenarios/short-sessions.ts";
import { stores } from "../src/trouble/scenarios/stores.ts";
import { troubleTests } from "../src/trouble/trouble-tests.ts";

troubleTests([...compaction, ...overflow, ...foreignTools, ...stores, ...shortSessions]);
