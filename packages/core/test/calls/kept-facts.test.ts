import { expect, it, vi } from "vitest";
import { keptFacts, type ToolFacts } from "../../src/calls/tool-facts.ts";

it("computes the facts of a call once, and separately for another tool with the same arguments", () => {
  const facts = vi.fn<ToolFacts>((toolName) => ({ kind: "other", paths: [toolName] }));
  const kept = keptFacts(facts);
  const args = { path: "a" };

  const answers = [
    kept("one", args),
    kept("one", args),
    kept("two", args),
    kept("one", { ...args }),
  ];

  expect(answers.map(({ paths }) => paths)).toEqual([["one"], ["one"], ["two"], ["one"]]);
  expect(facts).toHaveBeenCalledTimes(3);
});
