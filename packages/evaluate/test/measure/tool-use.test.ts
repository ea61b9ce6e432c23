import { describe, expect, it } from "vitest";

import {
  contextToolCounts,
  isLook,
  repeatedWork,
  type UsedTool,
  usedTools,
} from "../../src/measure/tool-use.ts";
import { madeTask } from "../made-task.ts";

function tools(
  ...given: readonly (readonly [step: number, name: string, args: object])[]
): readonly UsedTool[] {
  return usedTools(
    given.map(([step, name, args]) => ({
      step,
      answer: { text: "", toolCalls: [{ name, arguments: JSON.stringify(args) }] },
    })),
  );
}

const task = madeTask({
  steps: [
    { type: "prompt", text: "one" },
    { type: "change", files: { "a.txt": "by another" } },
    { type: "prompt", text: "two" },
  ],
});

describe("repeatedWork", () => {
  it("counts a read of lines that were read before", () => {
    const found = tools(
      [0, "read", { path: "a.txt" }],
      [0, "read", { path: "./a.txt" }],
      [0, "read", { path: "a.txt", offset: 10 }],
      [0, "read", { path: "b.txt" }],
    );

    expect(repeatedWork(found, task)).toEqual({ rereads: 1, reruns: 0 });
  });

  it.each([
    ["a write", "write", { path: "a.txt", content: "" }],
    ["an edit", "edit", { path: "/work/a.txt" }],
    ["a command that names it", "bash", { command: "sed -i s/a/b/ a.txt" }],
    ["a patch that names no path", "apply_patch", { input: "*** Update File: a.txt" }],
  ])("does not count a read after %s", (_, name, args) => {
    const read = [0, "read", { path: "a.txt" }] as const;

    expect(repeatedWork(tools(read, [0, name, args], read), task).rereads).toBe(0);
  });

  it("takes a path below the root as the same as one of the workspace", () => {
    const read = [0, "read", { path: "/work/a.txt" }] as const;
    const after = (name: string, args: object): number =>
      repeatedWork(tools(read, [0, name, args], read), task).rereads;

    expect(after("edit", { path: "a.txt" })).toBe(0);
    expect(after("bash", { command: "sed -i s/a/b/ a.txt" })).toBe(0);
    expect(after("edit", { path: "b.txt" })).toBe(1);
    expect(after("edit", { path: "/work/other/a.txt" })).toBe(1);
  });

  it("counts a read after a write of another file with the same end of its path", () => {
    const read = [0, "read", { path: "src/a.txt" }] as const;

    expect(repeatedWork(tools(read, [0, "write", { path: "a.txt" }], read), task).rereads).toBe(1);
  });

  it("counts reads of the same lines only", () => {
    const found = tools(
      [0, "read", { path: "a.txt", offset: 1, limit: 5 }],
      [0, "read", { path: "a.txt", offset: 6, limit: 5 }],
      [0, "read", { path: "a.txt", offset: 1, limit: 6 }],
      [0, "read", { path: "a.txt", offset: 6, limit: 5 }],
    );

    expect(repeatedWork(found, task).rereads).toBe(1);
  });

  it("does not count a read after a change by another program", () => {
    const found = tools([0, "read", { path: "a.txt" }], [2, "read", { path: "a.txt" }]);

    expect(repeatedWork(found, task).rereads).toBe(0);
  });

  it("counts a command that is run again, but not after a change of any file", () => {
    const run = [0, "bash", { command: "npm test" }] as const;

    expect(repeatedWork(tools(run, run), task).reruns).toBe(1);
    expect(repeatedWork(tools(run, [0, "write", { path: "c.txt" }], run), task).reruns).toBe(0);
    expect(repeatedWork(tools(run, [2, "exec", { command: "npm test" }]), task).reruns).toBe(0);
  });
});

describe("usedTools", () => {
  it.each(["{", "[1]", "null"])("takes the arguments %s as empty", (text) => {
    const answer = { text: "", toolCalls: [{ name: "read", arguments: text }] };

    expect(usedTools([{ step: 0, answer }])[0]?.arguments).toEqual({});
  });
});

it("counts context tools with and without a prefix, and knows which tools look for something", () => {
  const found = tools(
    [0, "activate", { id: "f1" }],
    [0, "context_activate", { id: "f2" }],
    [0, "find_objects", { words: "x" }],
    [0, "deactivate", { id: "f1" }],
    [0, "read", { path: "a" }],
    [0, "write", { path: "a" }],
  );

  expect(contextToolCounts(found)).toEqual({ activate: 2, find_objects: 1, deactivate: 1 });
  expect(found.map(isLook)).toEqual([true, true, true, false, true, false]);
});
