import { describe, expect, it } from "vitest";

import { failureOf, type FailureInput } from "../../src/measure/failure-of.ts";
import type { FactSeen } from "../../src/model/run-record.ts";
import { madeTask } from "../made-task.ts";

const task = madeTask({
  steps: [
    { type: "prompt", text: "remember" },
    { type: "prompt", text: "answer" },
  ],
  facts: [
    { id: "port", pattern: "port (\\d+)", value: "4711", neededAt: [1], source: "notes.md" },
    { id: "other", pattern: "peer (\\d+)", value: "9999", neededAt: [], source: "peers.md" },
    { id: "early", pattern: "host (\\S+)", value: "a.b", neededAt: [0], source: "hosts.md" },
    { id: "same", pattern: "again (\\d+)", value: "4711", neededAt: [], source: "again.md" },
  ],
  checks: [{ type: "answer", name: "port", step: 1, includes: ["4711"] }],
});

interface Case {
  readonly answer?: string;
  readonly seen?: Partial<FactSeen>;
  readonly looks?: boolean;
  readonly end?: FailureInput["end"];
  readonly error?: string;
  readonly isPassed?: boolean;
}

function failure(given: Case): ReturnType<typeof failureOf> {
  const { answer = "It is something.", seen, looks = false, end = "finished", error } = given;
  return failureOf({
    task,
    end,
    ...(error === undefined ? {} : { error }),
    checks: [{ name: "port", isPassed: given.isPassed ?? false, evidence: "expected 4711" }],
    facts: [{ fact: "port", step: 1, seen: "at-once", isStale: false, ...seen }],
    tools: looks ? [{ call: 1, step: 1, name: "activate", arguments: {} }] : [],
    answers: new Map([[1, answer]]),
  });
}

const cases: readonly (readonly [kind: string, given: Case])[] = [
  ["call-limit", { end: "call-limit" }],
  ["time-limit", { end: "time-limit", isPassed: true }],
  ["provider-error", { end: "provider-error", error: "overloaded" }],
  ["did-not-look", { seen: { seen: "never" } }],
  ["could-not-find", { seen: { seen: "never" }, looks: true }],
  ["stale", { seen: { seen: "never", isStale: true }, looks: true }],
  ["gave-up", { answer: "I do not know the port.", seen: { seen: "never" } }],
  ["could-not-find", { answer: "I cannot find it.", looks: true }],
  ["gave-up", { answer: "I don’t know." }],
  ["wrong-object", { answer: "The port is 9999." }],
  ["wrong-object", { answer: "It is a.b" }],
  ["other", { answer: "The port is 19999." }],
  ["other", { answer: "It is a-b." }],
  ["other", { answer: "The port is 4711, I think." }],
  ["gave-up", { answer: "  " }],
  ["other", { answer: "The port is 1234." }],
];

describe("failureOf", () => {
  it("is undefined if all checks passed", () => {
    expect(failure({ isPassed: true })).toBeUndefined();
  });

  it.each(cases)("finds %s", (kind, given) => {
    expect(failure(given)?.kind).toBe(kind);
  });

  it("looks only at the turn of an answer", () => {
    const found = failureOf({
      task,
      end: "finished",
      checks: [{ name: "port", isPassed: false, evidence: "expected 4711" }],
      facts: [
        { fact: "early", step: 0, seen: "never", isStale: true },
        { fact: "port", step: 1, seen: "never", isStale: false },
      ],
      tools: [{ call: 0, step: 0, name: "activate", arguments: {} }],
      answers: new Map([[1, "It is something."]]),
    });

    expect(found).toMatchObject({ kind: "did-not-look", step: 1 });
  });

  it("looks at the prompts that need facts if a file is wrong, the last one first", () => {
    const given = (last: FactSeen["seen"]): FailureInput => ({
      task: { ...task, checks: [{ type: "file", name: "file", path: "a", content: "b" }] },
      end: "finished",
      checks: [
        { name: "first", isPassed: true, evidence: "" },
        { name: "file", isPassed: false, evidence: "expected b" },
      ],
      facts: [
        { fact: "early", step: 0, seen: "never", isStale: true },
        { fact: "port", step: 1, seen: last, isStale: false },
      ],
      tools: [],
      answers: new Map([
        [0, "Done."],
        [1, "Done."],
      ]),
    });

    expect(failureOf(given("never"))).toMatchObject({ kind: "did-not-look", step: 1 });
    expect(failureOf(given("later"))).toMatchObject({ kind: "stale", step: 0 });
  });

  it("names no wrong object for a prompt that needs none", () => {
    const found = failureOf({
      task: { ...task, checks: [{ type: "answer", name: "word", step: 5, includes: ["x"] }] },
      end: "finished",
      checks: [{ name: "word", isPassed: false, evidence: "expected x" }],
      facts: [],
      tools: [],
      answers: new Map([[5, "9999"]]),
    });

    expect(found).toEqual({ kind: "other", evidence: "expected x" });
  });

  it("has the evidence of the check, or the error, and the prompt", () => {
    expect(failure({ seen: { seen: "never" } })).toEqual({
      kind: "did-not-look",
      evidence: "expected 4711",
      step: 1,
    });
    expect(failure({ end: "provider-error", error: "overloaded" })?.evidence).toBe("overloaded");
  });
});
