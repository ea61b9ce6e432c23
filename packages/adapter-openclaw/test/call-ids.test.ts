import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { withHostCallIds, withOwnCallIds } from "../src/call-ids.ts";
import type { OpenClawMessage } from "../src/openclaw-messages.ts";

/** An answer with calls of these ids, and their results in this order. */
function called(
  timestamp: number,
  ids: readonly string[],
  results: readonly string[] = ids,
): readonly OpenClawMessage[] {
  return [
    {
      role: "assistant",
      content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
      timestamp,
    },
    ...results.map((toolCallId, index) => ({
      role: "toolResult",
      toolCallId,
      toolName: "read",
      content: [{ type: "text", text: toolCallId }],
      timestamp: timestamp + 1 + index,
    })),
  ];
}

function resultIds(messages: readonly OpenClawMessage[]): readonly unknown[] {
  return messages.filter(({ role }) => role === "toolResult").map((one) => one["toolCallId"]);
}

const now = 1_795_650_823_852;

describe("the own ids of calls", () => {
  it("are the same whatever ids the host gives", () => {
    const live = withOwnCallIds([
      ...called(now, ["call_1", "call_2"]),
      ...called(now + 9, ["call_1"]),
    ]);
    const later = withOwnCallIds([
      ...called(now, ["call1", "call2"]),
      ...called(now + 9, ["a1b2"]),
    ]);

    expect(resultIds(later.messages)).toEqual(resultIds(live.messages));
    expect(new Set(resultIds(live.messages)).size).toBe(3);
  });

  it("have nine letters and digits", () => {
    const { hostIds } = withOwnCallIds(called(now, ["call_1", "call_2"]));
    for (const id of hostIds.keys()) expect(id).toMatch(/^[a-z0-9]{9}$/u);
  });

  it("are found for results in another order, and for two calls with one id", () => {
    const { messages } = withOwnCallIds(called(now, ["a", "b", "b"], ["b", "a", "b"]));
    const [first, second, third] = resultIds(messages);
    const { messages: ordered } = withOwnCallIds(called(now, ["a", "b", "b"]));

    expect([second, first, third]).toEqual(resultIds(ordered));
  });

  it("leave a result without its call as it is", () => {
    const [, result] = called(now, ["call_1"]);
    const list = result === undefined ? [] : [result];
    expect(withOwnCallIds(list).messages).toEqual(list);
  });

  it("become the host's ids again", () => {
    const calls = fc.array(fc.string({ minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 5 }), (answers) => {
        const list = answers.flatMap((ids, index) => called(now + index * 100, ids));
        expect(withHostCallIds(withOwnCallIds(list).messages)).toEqual(list);
      }),
    );
  });
});
