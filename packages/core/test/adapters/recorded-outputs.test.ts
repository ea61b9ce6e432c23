import { expect, it } from "vitest";
import type { HostToolCall, HostToolResult } from "../../src/adapters/host-tool-call.ts";
import { lastOutput, recordedOutputs } from "../../src/adapters/recorded-outputs.ts";

const call: HostToolCall = { id: "c1", name: "show", args: { path: "a.txt" } };

interface Recording {
  readonly ended: [HostToolCall, HostToolResult][];
  readonly outputs: AsyncGenerator;
}

/** Runs a tool on a connection that keeps what it gets. `reason`: why no call may run. */
function recording(run: () => unknown, reason?: string): Recording {
  const ended: [HostToolCall, HostToolResult][] = [];
  const connection = {
    beginTool: async () => await Promise.resolve(reason),
    endTool: async (one: HostToolCall, result: HostToolResult) => {
      await Promise.resolve(ended.push([one, result]));
    },
  };
  return { ended, outputs: recordedOutputs(connection, call, run) };
}

it("records the text that a tool has returned", async () => {
  const { ended, outputs } = recording(async () => await Promise.resolve("text of a.txt"));

  expect(await lastOutput(outputs)).toBe("text of a.txt");
  expect(ended).toEqual([[call, { text: "text of a.txt" }]]);
});

it("records an output that is no text as a call without one", async () => {
  const { ended, outputs } = recording(() => ({ lines: 3 }));

  expect(await lastOutput(outputs)).toEqual({ lines: 3 });
  expect(ended).toEqual([[call, {}]]);
});

it("yields the outputs that a tool returns one by one, and records the last", async () => {
  async function* halves(): AsyncGenerator<string> {
    yield "half";
    yield await Promise.resolve("whole");
  }
  const { ended, outputs } = recording(halves);
  const all: unknown[] = [];

  for await (const one of outputs) all.push(one);

  expect(all).toEqual(["half", "whole"]);
  expect(ended).toEqual([[call, { text: "whole" }]]);
});

it("does not run a call that would write a stand-in", async () => {
  const { ended, outputs } = recording(() => expect.unreachable("the tool runs"), "give the text");

  await expect(lastOutput(outputs)).rejects.toThrow("give the text");
  expect(ended).toEqual([]);
});

it("passes on the error of a tool and records that it failed", async () => {
  const { ended, outputs } = recording(() => {
    throw new Error("no such file");
  });

  await expect(lastOutput(outputs)).rejects.toThrow("no such file");
  expect(ended).toEqual([[call, { isError: true, text: "Error: no such file" }]]);
});
