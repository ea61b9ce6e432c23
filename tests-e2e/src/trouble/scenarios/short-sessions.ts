// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import { mostOfPlain, type ShortCall, shortFiles, shortTurns } from "../../short/short-session.ts";
import { type Answer, type Called, say, use } from "../answers.ts";
import type { Scenario } from "../scenario.ts";

function answerOf(call: ShortCall): Answer {
  return { ...use(toolOf(call)), text: call.says };
}

function toolOf(call: ShortCall): Called {
  if ("runs" in call) return ["bash", { command: call.runs }];
  if ("reads" in call) return ["read", { path: call.reads }];
  if ("writes" in call) return ["write", { path: call.writes, content: call.text }];
  return ["edit", { path: call.edits, edits: [{ oldText: call.from, newText: call.to }] }];
}

/** Sessions that end before anything has to leave, so that tools, instruction and headers save nothing. */
export const shortSessions: readonly Scenario[] = [
  {
    name: "a session of 20 calls with small outputs",
    files: () => shortFiles,
    async play({ prompt }) {
      for (const { prompt: text, calls, answer } of shortTurns)
        await prompt(text, ...calls.map(answerOf), say(answer));
    },
    checks: {
      "costs at most 8 % more than in plain Pi": ({ plain, managed }) => {
        expect(plain.requests).toHaveLength(20);
        expect(managed.units).toBeLessThanOrEqual(plain.units * mostOfPlain);
      },
    },
  },
];
