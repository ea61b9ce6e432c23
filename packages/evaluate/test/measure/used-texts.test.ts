import { describe, expect, it } from "vitest";

import type { Fact } from "../../src/model/task.ts";
import { usedTools } from "../../src/measure/tool-use.ts";
import { type SeenCall, usedLooks } from "../../src/measure/used-texts.ts";
import { madeTask } from "../made-task.ts";

const shown = "the pressure of pump seven is 482 kPa";

/** A turn in which the model activates something, sees it, and answers. */
function turn({
  brings = shown,
  answer = "",
  said = '{"id":"t1"}',
  name = "activate",
  step = 0,
  facts = [] as readonly Fact[],
}): number {
  const tools = usedTools([
    { step: 0, answer: { text: "", toolCalls: [{ name, arguments: '{"id":"t1"}' }] } },
  ]);
  const calls: readonly SeenCall[] = [
    { step: 0, request: "what is the pressure", answer: said },
    { step, request: `what is the pressure\n${brings}`, answer },
  ];
  return usedLooks(madeTask({ facts }), calls, tools);
}

describe("usedLooks", () => {
  it("counts a look whose lines are repeated in the turn", () => {
    expect(turn({ answer: "It says: the pressure of pump seven is 482." })).toBe(1);
  });

  it("counts a look that brings a fact which the turn needs", () => {
    const fact = { id: "kpa", pattern: "is (\\d+) kPa", value: "482", source: "t1" };

    expect(turn({ answer: "482", facts: [{ ...fact, neededAt: [0] }] })).toBe(1);
    expect(turn({ answer: "482", facts: [{ ...fact, neededAt: [5] }] })).toBe(0);
    expect(turn({ step: 2, facts: [{ ...fact, neededAt: [2] }] })).toBe(0);
  });

  it("counts a look that brings the right value in place of another", () => {
    const fact = { id: "kpa", pattern: "is (\\S+)", value: "482", source: "t1", neededAt: [0] };

    expect(turn({ brings: "it is 482", facts: [fact] })).toBe(1);
  });

  it.each([
    ["an answer that repeats three words", { answer: "the pressure of many pumps" }],
    [
      "words that were in the request before, in another line",
      { brings: "again: what is the pressure", answer: "what is the pressure" },
    ],
    ["an answer with other words", { answer: "I see nothing about this here." }],
    [
      "lines that were in the request before",
      { brings: "what is the pressure", answer: "what is the pressure" },
    ],
    ["words that the model says before it sees them", { said: shown }],
    ["a repetition in another turn", { step: 2, answer: shown }],
    ["another tool", { name: "read", answer: shown }],
    ["a tool that shows nothing", { name: "deactivate", answer: shown }],
  ])("does not count %s", (_, given) => {
    expect(turn(given)).toBe(0);
  });
});
