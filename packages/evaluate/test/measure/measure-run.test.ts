import { expect, it } from "vitest";

import { measureRun } from "../../src/measure/measure-run.ts";
import type { MeteredAnswer } from "../../src/model/metered-answer.ts";
import type { CallRecord, RunEnd, RunRecord } from "../../src/model/run-record.ts";
import { madeTask } from "../made-task.ts";

const call: CallRecord = {
  number: 1,
  step: 0,
  startedMs: 0,
  durationMs: 1,
  status: 200,
  requestBytes: 1,
  usage: { input: 1, cacheRead: 2, cacheWrite: 4, output: 8 },
};

const { usage: _usage, ...withoutUsage } = call;
const refused = { ...withoutUsage, status: 400, dollars: 0 };

interface Given {
  readonly end?: RunEnd;
  readonly calls?: readonly CallRecord[];
  readonly answers?: readonly MeteredAnswer[];
  readonly requests?: readonly string[];
}

function measured({ end = "finished", calls = [], answers = [], requests = [] }: Given): RunRecord {
  const parts = {
    arm: "plain",
    armHash: "",
    task: "coding/made",
    taskHash: "",
    seed: 1,
    model: "m",
    host: "h",
    protocol: 1,
    version: "1",
  };
  return measureRun({
    run: { key: "k", parts },
    task: madeTask(),
    began: "",
    checks: [],
    faults: [],
    played: { end, answers: new Map(), milliseconds: 1240, notices: [] },
    metered: {
      calls: calls.map((one, index) => ({ ...one, number: index + 1 })),
      answers,
      requestBody: (number) =>
        JSON.stringify({ messages: [{ role: "user", content: requests[number - 1] ?? "" }] }),
    },
  });
}

it("has no sum of dollars if those of one call are unknown", () => {
  expect(
    measured({ calls: [{ ...call, dollars: 1 }, { ...call, dollars: 2 }, refused] }).figures
      .dollars,
  ).toBe(3);
  expect(measured({ calls: [{ ...call, dollars: 1 }, call] }).figures).not.toHaveProperty(
    "dollars",
  );
  expect(measured({ calls: [refused, withoutUsage] }).figures).not.toHaveProperty("dollars");
});

it("is solved only if it has finished", () => {
  expect(measured({}).isSolved).toBe(true);
  for (const end of ["budget", "time-limit", "host-error"] as const)
    expect(measured({ end }).isSolved).toBe(false);
});

it("rounds seconds to tenths, so that measuring again gives the same", () => {
  expect(measured({}).figures.seconds).toBe(1.2);
});

it("counts a look whose words are in the arguments of a call, one in each line", () => {
  const look = { text: "", toolCalls: [{ name: "activate", arguments: "{}" }] };
  const content = "alpha\nbeta\ngamma\ndelta";
  const write = {
    text: "",
    toolCalls: [{ name: "write", arguments: JSON.stringify({ path: "a.txt", content }) }],
  };
  const { figures } = measured({
    calls: [call, call],
    answers: [look, write],
    requests: ["What is it?", "What is it?\nalpha beta gamma delta"],
  });

  expect(figures).toMatchObject({ contextToolsUsed: 1, contextTools: { activate: 1 } });
});
