import { hooks } from "../src/trouble/scenarios/hooks.ts";
import { oddAnswers } from "../src/trouble/scenarios/odd-answers.ts";
import { otherTools } from "../src/trouble/scenarios/other-tools.ts";
import { troubleTests } from "../src/trouble/trouble-tests.ts";

troubleTests([...otherTools, ...hooks, ...oddAnswers]);
