import { expect, it } from "vitest";

import type { CallRecord, RunEnd } from "../../src/model/run-record.ts";
import { checkAnswered } from "../../src/run/check-answered.ts";
import { makePlan, plannedRuns } from "../../src/run/make-plan.ts";
import { keepingArm } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

const call = (status: number, more: Partial<CallRecord> = {}): CallRecord => ({
  number: 1,
  step: 0,
  startedMs: 0,
  durationMs: 1,
  status,
  requestBytes: 1,
  ...more,
});

/** What is wrong with a run that ended with an error; undefined if it is a result. */
function reasonOf(calls: readonly CallRecord[], end: RunEnd = "provider-error"): unknown {
  const [run] = plannedRuns(
    makePlan({
      arms: [keepingArm("plain")],
      tasks: new Map([[1, smallTasks(1)]]),
      model: "provider/m",
      host: "h",
      version: "1",
    }),
  );
  try {
    if (run !== undefined) checkAnswered(run, { end, error: "it failed" }, calls);
    return undefined;
  } catch (error) {
    return error;
  }
}

it.each([
  [401, "no key", "Check the key"],
  [404, "no such model", "Check the name of the model and the URL"],
  [502, "not connected", "Check the URL and the network"],
  [529, "overloaded", "Try again later"],
  [400, "odd", "Check the model and its options"],
])("a run of which every request was refused with %i is none", (status, error, advice) => {
  const reason = reasonOf([call(status), call(status, { error })]);

  expect(reason).toMatchObject({ name: "EvaluateError", code: "EVALUATE_MODEL" });
  expect(String(reason)).toContain(
    `provider/m answered no request of memory/small-0 in the arm plain: ${error} (HTTP status ${status}). ${advice}`,
  );
});

it("a run in which the host made no call is none", () => {
  expect(reasonOf([], "host-error")).toMatchObject({
    code: "EVALUATE_HOST",
    message: expect.stringContaining(
      "made no call for memory/small-0 in the arm plain: it failed.",
    ),
  });
});

it("a run with an answer, with a request over the window, or with another end is a result", () => {
  expect(reasonOf([call(200), call(500)])).toBeUndefined();
  expect(reasonOf([call(400, { isOverWindow: true })])).toBeUndefined();
  expect(reasonOf([], "time-limit")).toBeUndefined();
});
