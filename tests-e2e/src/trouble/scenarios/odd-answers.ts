// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import { say, use, useOfOneId } from "../answers.ts";
import type { Scenario } from "../scenario.ts";
import { countIn, lastRequest } from "../sent-lines.ts";

const files = {
  "a.txt": "the text of a\n",
  "b.txt": "the text of b\n",
  "c.txt": "the text of c\n",
};

/** Arguments that models and servers give instead of an object. */
const oddArguments: readonly unknown[] = [null, "a.txt", ["a.txt"], 3, {}];

const shownIn = (text: string): readonly string[] => text.match(/the text of \w/gu) ?? [];

/** What models and servers answer against the rules. */
export const oddAnswers: readonly Scenario[] = [
  {
    name: "calls of one id, in one answer and in several",
    files: () => files,
    async play({ prompt, resume }) {
      await prompt(
        "read them",
        useOfOneId("dup", ["read", { path: "a.txt" }], ["bash", { command: "cat b.txt" }]),
        useOfOneId("dup", ["bash", { command: "cat c.txt" }]),
        say("read"),
      );
      await resume();
      await prompt("and now", say("done"));
    },
    checks: {
      "has each result that plain Pi has, once and in order": ({ plain, managed }) =>
        expect(shownIn(lastRequest(managed).text)).toEqual(shownIn(lastRequest(plain).text)),
      "interrupts no call": ({ managed }) =>
        expect(countIn(lastRequest(managed), "was interrupted")).toBe(0),
    },
  },
  {
    name: "arguments that are no object",
    files: () => files,
    async play({ prompt, resume }) {
      for (const [index, args] of oddArguments.entries()) {
        await prompt(
          `try ${index}`,
          use(
            ...["bash", "read", "edit", "write", "ls", "find_objects", "no_such_tool"].map(
              (name) => [name, args as Readonly<Record<string, unknown>>] as const,
            ),
          ),
          say("well"),
        );
      }
      await resume();
      await prompt("and now", use(["bash", { command: "cat a.txt" }]), say("done"));
    },
    checks: {
      "says nothing to the user": ({ managed }) => expect(managed.notices).toEqual([]),
      "continues with all prompts": ({ managed }) => {
        const { text } = lastRequest(managed);
        for (const [index] of oddArguments.entries()) expect(text).toContain(`try ${index}`);
        expect(text).toContain("the text of a");
      },
    },
  },
];
