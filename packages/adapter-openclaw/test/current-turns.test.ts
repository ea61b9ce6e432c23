import { describe, expect, it } from "vitest";

import { currentTurns } from "../src/current-turns.ts";
import type { OpenClawMessage } from "../src/openclaw-messages.ts";

function prompt(content: string, timestamp: number, key?: string): OpenClawMessage {
  return {
    role: "user",
    content,
    timestamp,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
}

function answer(timestamp: number, ...calls: readonly string[]): OpenClawMessage {
  const content =
    calls.length === 0
      ? [{ type: "text", text: "done" }]
      : calls.map((id) => ({ type: "toolCall", id, name: "exec", arguments: {} }));
  const stopReason = calls.length === 0 ? "stop" : "toolUse";
  return { role: "assistant", content, stopReason, timestamp };
}

function result(toolCallId: string, timestamp: number): OpenClawMessage {
  return { role: "toolResult", toolCallId, toolName: "exec", content: [], timestamp };
}

const place = "main one";

describe("the current turn", () => {
  it("is what was written after the messages before it", () => {
    const turns = currentTurns();
    const earlier = [prompt("go", 1), answer(2)];
    for (const message of [...earlier, prompt("on", 3), answer(4, "c1"), result("c1", 5)])
      turns.written(place, message);

    expect(turns.after(place, earlier).map(({ timestamp }) => timestamp)).toEqual([3, 4, 5]);
    expect(turns.after("main other", earlier)).toEqual([]);
  });

  it("has a prompt once that the host writes again for each attempt", () => {
    const turns = currentTurns();
    turns.written(place, prompt("go", 1, "run:user"));
    turns.written(place, { ...prompt("go", 2), content: [{ type: "text", text: "go" }] });
    turns.written(place, prompt("go", 3, "other:user"));

    expect(turns.after(place, []).map(({ timestamp }) => timestamp)).toEqual([1, 3]);
  });

  it("has a prompt once that the host writes again as it is after an answer that it has refused", () => {
    const turns = currentTurns();
    turns.written(place, prompt("go", 1, "run:user"));
    turns.written(place, { ...answer(2), content: [] });
    turns.written(place, prompt("go", 1, "run:user"));

    expect(turns.after(place, []).map(({ timestamp }) => timestamp)).toEqual([1, 2]);
  });

  it("leaves out results of calls that the host has removed from the answer", () => {
    const turns = currentTurns();
    for (const message of [prompt("go", 1), answer(2, "c1"), result("c1", 3), result("c2", 4)])
      turns.written(place, message);

    expect(turns.after(place, []).map(({ timestamp }) => timestamp)).toEqual([1, 2, 3]);
  });

  it("begins again when the user has gone back", () => {
    const turns = currentTurns();
    const first = [prompt("go", 1), answer(2)];
    for (const message of [...first, prompt("on", 3), answer(4), prompt("another way", 5)])
      turns.written(place, message);

    expect(turns.isRewound(place, [...first, prompt("on", 3), answer(4)])).toBe(false);
    expect(turns.isRewound(place, first)).toBe(true);
    expect(turns.after(place, first).map(({ timestamp }) => timestamp)).toEqual([5]);
    expect(turns.isRewound(place, first)).toBe(false);
  });

  it("is not gone back to by a summary of the host", () => {
    const turns = currentTurns();
    turns.written(place, answer(4));

    expect(turns.isRewound(place, [{ role: "compactionSummary", timestamp: 5 }])).toBe(false);
  });

  it("is kept for a bounded number of sessions and messages", () => {
    const turns = currentTurns();
    for (let time = 1; time <= 3000; time += 1) turns.written(place, prompt(`${time}`, time));
    const kept = turns.after(place, []).length;
    for (let other = 0; other < 1000; other += 1) turns.written(`main ${other}`, answer(1));

    expect(kept).toBeLessThan(3000);
    expect(turns.after(place, [])).toEqual([]);
  });
});
