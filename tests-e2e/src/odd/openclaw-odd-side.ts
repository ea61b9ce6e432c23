import type { Reply } from "@self-context-manager/evaluate/loopback";

import type { PlayedGateway } from "../openclaw/played-gateway.ts";
import { errorsOf } from "../openclaw/played-gateway.ts";
import {
  type OddAnswer,
  type OddCall,
  type OddScenario,
  type OddSide,
  printing,
} from "./odd-scenario.ts";

/** Plays a scenario in a session of its own of a gateway. The gateway is not started again. */
export async function openClawOddSide(
  played: PlayedGateway,
  scenario: OddScenario,
): Promise<OddSide> {
  const session = `agent:main:${scenario.name.replaceAll(/\W+/gu, "-")}`;
  const logged = played.gateway.log.length;
  const scripted = oddReplies();
  const problems: string[] = [];

  await scenario.play({
    async prompt(text, ...answers) {
      try {
        const steps = answers.map(scripted).map((reply) => (): Reply => reply);
        const requests = await played.turn(text, steps, session);
        if (requests.length !== answers.length)
          problems.push(`${requests.length} requests for the prompt ${text}`);
      } catch (error) {
        problems.push(`the prompt ${text} failed: ${String(error)}`);
      }
    },
    resume: async () => await Promise.resolve(),
  });
  const requests = played.requestsOf(session);
  return {
    requests: requests.map(({ messages }) => ({
      texts: messages.map(({ text }) => text),
      results: messages.filter(({ role }) => role === "tool").length,
    })),
    problems: [...problems, ...errorsOf(played, requests)],
    notices: played.gateway.log.slice(logged).match(/self-context-manager: .*/gu) ?? [],
  };
}

/**
 * The tools that get odd arguments: those of the host, and one that is not there. In later turns the host leaves out the calls
 * of tools that it does not have, so none of the plugin's tools is called.
 */
const calledTools = ["exec", "read", "edit", "write", "no_such_tool"] as const;

/** Returns a function that makes the model's answers, with an id for each call that has none. */
function oddReplies(): (answer: OddAnswer) => Reply {
  let calls = 0;
  const callsOf = ({ id, calls: called }: OddCall): Extract<Reply, { calls: unknown }>["calls"] => {
    if ("gives" in called) throw new TypeError("OpenClaw has no tool with such a result");
    const made: readonly (readonly [string, unknown])[] =
      "shows" in called
        ? [["exec", { command: `cat ${called.shows}`, ...called.beside }]]
        : "prints" in called
          ? [["exec", { command: printing(called.prints) }]]
          : calledTools.map((name) => [name, called.args]);
    return made.map(([name, args]) => {
      calls += 1;
      return { id: id ?? `odd${calls}`, name, arguments: args };
    });
  };
  return (answer) => {
    if (typeof answer === "string") return { type: "text", text: answer };
    return "thinking" in answer
      ? { type: "text", text: answer.text, reasoning: answer.thinking }
      : { type: "tool-calls", calls: answer.flatMap(callsOf) };
  };
}
