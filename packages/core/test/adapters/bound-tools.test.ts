import { expect, it } from "vitest";
import { isBoundAnswer } from "../../src/adapters/bound-tools.ts";

const answer = { text: "f1 is pinned.", isError: false, details: {} };

it.each([
  ["the answer of a context tool", answer, true],
  ["an answer with a further field", { ...answer, lines: 3 }, false],
  ["an answer without details", { text: "a text", isError: false }, false],
  ["a text", "f1 is pinned.", false],
])("recognises %s", (_, value, isAnswer) => {
  expect(isBoundAnswer(value)).toBe(isAnswer);
});
