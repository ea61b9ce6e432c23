import { describe, expect, it } from "vitest";

import { factsSeen } from "../../src/measure/facts-seen.ts";
import { madeTask } from "../made-task.ts";

const task = madeTask({
  facts: [{ id: "port", pattern: "port (\\d+)", value: "4711", neededAt: [0, 2], source: "notes" }],
});

/** How the fact was seen at its second prompt. */
function seenIn(...requests: readonly string[]): object | undefined {
  const calls = [
    { step: 0, request: "port 4711", answer: "" },
    ...requests.map((request) => ({ step: 2, request, answer: "" })),
  ];
  const [first, second] = factsSeen(task, calls);
  expect(first).toEqual({ fact: "port", step: 0, seen: "at-once", isStale: false });
  return second;
}

describe("factsSeen", () => {
  it.each([
    ["at-once", false, ["port 4711", "nothing"]],
    ["later", false, ["nothing", "port 4711"]],
    ["later", false, ["port 1", "nothing", "port 1 and port 4711"]],
    ["never", true, ["nothing", "port 4711 and then port 1"]],
    ["never", false, ["nothing"]],
    ["never", false, []],
  ])("finds %s, and stale is %s", (seen, isStale, requests) => {
    expect(seenIn(...requests)).toEqual({ fact: "port", step: 2, seen, isStale });
  });
});
