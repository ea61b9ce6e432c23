// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { otherExtensions } from "../extension-paths.ts";
import { numberedLines } from "../made-files.ts";
import type { ExtensionPath, Scenario, Sides } from "../scenario.ts";
import { countIn, lastRequest, requestAt } from "../sent-lines.ts";

/** Expects that a text occurs in each request as often as in plain Pi. */
function expectAsOften({ plain, managed }: Sides, part: string): void {
  const counts = [plain, managed].map(({ steps }) =>
    steps.map(({ request }) => countIn(request, part)),
  );
  expect(counts[1]).toEqual(counts[0]);
  expect(Math.max(...(counts[0] ?? []))).toBeGreaterThan(0);
}

function reminded(name: string, extension: ExtensionPath, place: "before" | "after"): Scenario {
  return {
    name: `${name} ${place} the extension`,
    extensions: { [place]: [extension] },
    files: () => ({ "a.txt": numberedLines("first", 20) }),
    async play({ prompt, resume }) {
      await prompt(
        "start",
        use(["read", { path: "a.txt" }]),
        use(["bash", { command: "echo one" }]),
        use(["bash", { command: "echo two" }]),
        say("done"),
      );
      await prompt("go on", use(["bash", { command: "echo three" }]), say("done"));
      await resume();
      await prompt("and now", use(["bash", { command: "echo four" }]), say("done"));
    },
    checks: {
      "sends each request with one reminder": (sides) => expectAsOften(sides, "REMINDER number"),
      "sends the reminder with its newest wording, as the last message": ({ plain, managed }) => {
        const last = [plain, managed].map(({ steps }) =>
          steps.map(({ request }) =>
            request.messages
              .at(-1)
              ?.text.match(/REMINDER.*/gu)
              ?.at(-1),
          ),
        );
        expect(last[1]).toEqual(last[0]);
      },
    },
  };
}

/** Extensions that add messages to single requests, or leave some out. */
export const hooks: readonly Scenario[] = [
  reminded("a reminder with a new time", otherExtensions.remindWithNewTime, "before"),
  {
    ...reminded("a reminder with a new time", otherExtensions.remindWithNewTime, "after"),
    isOtherForm: true,
  },
  {
    ...reminded("a reminder with a fixed time", otherExtensions.remindWithFixedTime, "before"),
    isOtherForm: true,
  },
  reminded("a reminder with a fixed time", otherExtensions.remindWithFixedTime, "after"),
  ...(["before", "after"] as const).map((place): Scenario => ({
    name: `a reminder that is appended to the newest prompt, ${place} the extension`,
    isOtherForm: place === "after",
    extensions: { [place]: [otherExtensions.remindInPrompt] },
    files: () => ({ "a.txt": numberedLines("first", 20) }),
    async play({ prompt, resume }) {
      await prompt("start", use(["read", { path: "a.txt" }]), say("done"));
      await prompt("go on", use(["bash", { command: "echo three" }]), say("done"));
      await resume();
      await prompt("and now", use(["bash", { command: "echo four" }]), say("done"));
      await prompt("once more", say("done"));
    },
    checks: {
      "sends each request with one reminder": (sides) => expectAsOften(sides, "REMINDER number"),
    },
  })),
  ...(["before", "after"] as const).map((place): Scenario => ({
    name: `an example with answers and a result, which is added to each request, ${place} the extension`,
    isOtherForm: place === "before",
    extensions: { [place]: [otherExtensions.primeWithAnswers] },
    files: () => ({ "a.txt": numberedLines("first", 20) }),
    async play({ prompt, resume }) {
      await prompt("start", use(["read", { path: "a.txt" }]), say("done"));
      await prompt("go on", use(["bash", { command: "echo three" }]), say("done"));
      await resume();
      await prompt("and now", use(["bash", { command: "echo four" }]), say("done"));
    },
    checks: {
      "sends each request with one example": (sides) => {
        for (const part of ["question", "result", "answer"])
          expectAsOften(sides, `EXAMPLE ${part}`);
      },
      "sends the example with its newest wording": ({ plain, managed }) => {
        const examples = [plain, managed].map(({ steps }) =>
          steps.map(({ request }) => request.text.match(/EXAMPLE \w+ \d+/gu)),
        );
        expect(examples[1]).toEqual(examples[0]);
      },
    },
  })),
  ...(["before", "after"] as const).map((place): Scenario => ({
    name: `the plan mode of Pi's examples ${place} the extension`,
    isOtherForm: place === "after",
    extensions: { [place]: [otherExtensions.planMode] },
    files: () => ({ "a.txt": numberedLines("first", 20) }),
    async play({ prompt, otherCommand, resume }) {
      await otherCommand("/plan");
      await prompt("plan it", use(["read", { path: "a.txt" }]), say("I would do this and that"));
      await prompt("plan more", say("and something else"));
      await otherCommand("/plan");
      await prompt("do it", use(["bash", { command: "echo done" }]), say("done"));
      await resume();
      await prompt("and now", say("all done"));
    },
    checks: {
      "names the mode as often as plain Pi": (sides) => expectAsOften(sides, "[PLAN MODE ACTIVE]"),
      "does not name the mode after its end": ({ managed }) =>
        expect(lastRequest(managed).text).not.toContain("[PLAN MODE ACTIVE]"),
    },
  })),
  {
    name: "an extension that sends only the last two prompts, before the extension",
    extensions: { before: [otherExtensions.lastPromptsOnly] },
    files: () => ({ "a.txt": numberedLines("first", 60), "b.txt": numberedLines("second", 60) }),
    async play({ prompt, resume }) {
      await prompt("PROMPT one", use(["read", { path: "a.txt" }]), say("read a"));
      await prompt("PROMPT two", use(["read", { path: "b.txt" }]), say("read b"));
      await prompt("PROMPT three", say("three"));
      await prompt("PROMPT four", say("four"));
      await resume();
      await prompt("PROMPT five", say("five"));
    },
    checks: {
      "leaves out the prompts that plain Pi leaves out": (sides) => {
        for (const name of ["one", "two", "three"]) expectAsOften(sides, `PROMPT ${name}`);
      },
      "leaves out the results that plain Pi leaves out": ({ plain, managed }) => {
        for (const [step, line] of [
          [5, "first line 1 "],
          [6, "second line 1 "],
        ] as const) {
          const counts = [plain, managed].map((side) => countIn(requestAt(side, step), line));
          expect(counts[1]).toBe(counts[0]);
        }
      },
    },
  },
];
