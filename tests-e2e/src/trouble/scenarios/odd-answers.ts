import type { Reply } from "@self-context-manager/evaluate/loopback";
import { runsEveryForm } from "@self-context-manager/store-contract";

import {
  type OddAnswer,
  type OddCall,
  oddFiles,
  printing,
  type OddScenario,
  type OddSide,
} from "../../odd/odd-scenario.ts";
import { oddScenarios } from "../../odd/odd-scenarios.ts";
import { oddChecks } from "../../odd/odd-tests.ts";
import { endPiVersions, piVersions } from "../../pi-versions.ts";
import { ofPlace, say } from "../answers.ts";
import { otherExtensions } from "../extension-paths.ts";
import type { Scenario, Side, Sides, Stage } from "../scenario.ts";

/** What models and servers answer against the rules, as every host plays it. */
export const oddAnswers: readonly Scenario[] = oddScenarios
  .filter(({ needs }) => needs !== "compact")
  .map(inPi);

/** Returns the scenario in Pi. The oldest release alone sends no request with a result that has no blocks. */
function inPi(scenario: OddScenario): Scenario {
  const checks = Object.entries(oddChecks(scenario)).map(
    ([check, assert]) =>
      [
        check,
        ({ plain, managed }: Sides) => assert({ plain: oddSide(plain), managed: oddSide(managed) }),
      ] as const,
  );
  return {
    name: scenario.name,
    files: () => oddFiles,
    ...(scenario.needs === "odd results"
      ? { extensions: { before: [otherExtensions.oddResults] }, releases: endPiVersions.slice(1) }
      : { releases: runsEveryForm("adapter-pi") ? endPiVersions : piVersions }),
    ...(scenario.notices === undefined
      ? {}
      : { incomparable: "The quotation marks in a part that is kept as text are escaped." }),
    async play({ prompt, resume }: Stage) {
      await scenario.play({
        prompt: async (text, ...answers) => await prompt(text, ...answers.map(replyOf)),
        resume,
      });
    },
    checks: Object.fromEntries(checks),
  };
}

function replyOf(answer: OddAnswer): Reply {
  if (typeof answer === "string") return say(answer);
  if ("thinking" in answer) return { type: "text", text: answer.text, reasoning: answer.thinking };
  return { type: "tool-calls", calls: answer.flatMap(callsOf) };
}

/** The tools that get odd arguments: Pi's own, one of the extension, and one that is not there. */
const calledTools = ["bash", "read", "edit", "write", "ls", "find_objects", "no_such_tool"];

function callsOf({ id = ofPlace, calls }: OddCall): Extract<Reply, { calls: unknown }>["calls"] {
  if ("shows" in calls) {
    // The extension has a way of its own for the results of `read`.
    const isRead = calls.shows === "a.txt";
    const call = isRead
      ? { name: "read", arguments: { path: calls.shows, ...calls.beside } }
      : { name: "bash", arguments: { command: `cat ${calls.shows}`, ...calls.beside } };
    return [{ id, ...call }];
  }
  if ("prints" in calls)
    return [{ id, name: "bash", arguments: { command: printing(calls.prints) } }];
  if ("gives" in calls)
    return [{ id, name: calls.gives === "null" ? "nothing" : "plain_text", arguments: {} }];
  return calledTools.map((name) => ({ id, name, arguments: calls.args }));
}

function oddSide({ steps, problems, notices }: Side): OddSide {
  return {
    requests: steps.map(({ request }) => ({
      texts: request.messages.map(({ text }) => text),
      results: request.messages.reduce((sum, { resultCount }) => sum + resultCount, 0),
    })),
    problems,
    notices,
  };
}
