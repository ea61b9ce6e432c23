import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import type { ToolResultMessage } from "../../src/chat/message.ts";
import { executionField, executionIn } from "../../src/calls/execution.ts";
import { type ToolFacts, usualToolFacts } from "../../src/calls/tool-facts.ts";

describe("an effect in a context tool's result", () => {
  const id = "0190aaaa-0000-7000-8000-000000000001";
  const effectsOf = (tool: string, effect: JsonObject): unknown =>
    executionIn(
      result(tool, { [executionField]: { report: "done", effects: [effect] } }),
      usualToolFacts,
    )?.effects;

  test.each(["read", "activate", "deactivate", "pin", "unpin"])("is read: %s", (op) => {
    expect(effectsOf(op, { op, id })).toEqual([{ op, id }]);
    expect(effectsOf(`context_${op}`, { op, id })).toEqual([{ op, id }]);
  });

  test.each([
    [
      { from: 1, to: 1 },
      { from: 1, to: 1 },
    ],
    [
      { from: 2, to: 7 },
      { from: 2, to: 7 },
    ],
    [{ from: 0, to: 7 }, undefined],
    [{ from: 3, to: 2 }, undefined],
    [{ from: 1.5, to: 2 }, undefined],
    [{ from: 1 }, undefined],
  ])("has a line range only if the range is possible: %j", (range, expected) => {
    const shown = expected === undefined ? {} : { range: expected };

    expect(effectsOf("activate", { op: "activate", id, range })).toEqual([
      { op: "activate", id, ...shown },
    ]);
  });

  test.each<readonly [string, JsonObject]>([
    ["another operation", { op: "remove", id }],
    ["no id", { op: "pin" }],
    ["an id that is not text", { op: "pin", id: 7 }],
    ["an empty id", { op: "pin", id: "" }],
  ])("is ignored if it has %s", (_, effect) => {
    expect(effectsOf("pin", effect)).toEqual([]);
  });

  test("names the version that was read only by a static reference", () => {
    const dynamic = { ref: "dynamic", id };
    const exact = { ...dynamic, ref: "static", tx_id: 3 };

    expect(effectsOf("read", { op: "read", id, file: dynamic })).toEqual([{ op: "read", id }]);
    expect(effectsOf("read", { op: "read", id, file: exact })).toEqual([
      { op: "read", id, file: exact },
    ]);
  });

  test("is read for a tool of any name that is a context tool by its facts", () => {
    const facts: ToolFacts = (name) =>
      name === "keep"
        ? { kind: "other", paths: [], contextTool: "pin" }
        : { kind: "other", paths: [] };
    const details = { [executionField]: { report: "done", effects: [{ op: "pin", id }] } };

    expect(executionIn(result("keep", details), facts)?.effects).toEqual([{ op: "pin", id }]);
    expect(executionIn(result("pin", details), facts)).toBeUndefined();
  });

  test("is not read for another tool, without a report, or if the result has another text", () => {
    const done = { [executionField]: { report: "done" } };

    expect(executionIn(result("bash", done), usualToolFacts)).toBeUndefined();
    expect(
      executionIn(result("pin", { [executionField]: { effects: [] } }), usualToolFacts),
    ).toBeUndefined();
    expect(executionIn(result("pin", undefined), usualToolFacts)).toBeUndefined();
    expect(executionIn(result("pin", done, "[REDACTED]"), usualToolFacts)).toBeUndefined();
  });
});

function result(
  toolName: string,
  details: JsonObject | undefined,
  text = "done",
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: "call_1",
    toolName,
    content: [{ type: "text", text }],
    isError: false,
    ...(details === undefined ? {} : { details }),
  };
}
