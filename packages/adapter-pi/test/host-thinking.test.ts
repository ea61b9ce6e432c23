import { describe, expect, test } from "vitest";

import { type HostThinking, hostThinking } from "../src/host-thinking.ts";

const model = { id: "claude-opus-5-5", api: "anthropic-messages" };
const request = (isManaged: boolean, head = "a"): Parameters<HostThinking["sendsOwn"]>[1] => ({
  model,
  head: () => head,
  isManaged,
});
const user = { role: "user", content: "go", timestamp: 1 };
const text = { type: "text", text: "Well." };

function answer(timestamp: number): {
  readonly role: string;
  readonly content: readonly object[];
  readonly timestamp: number;
} {
  const thinking = { type: "thinking", thinking: "so", thinkingSignature: `sig ${timestamp}` };
  return { role: "assistant", content: [thinking, text], timestamp };
}

function without(timestamp: number): object {
  return { ...answer(timestamp), content: [text] };
}

describe("the host's own messages, for a model that binds its thinking", () => {
  test("have no thinking of answers to a view", () => {
    const thinking = hostThinking();
    thinking.follows([user]);
    thinking.sendsView();
    thinking.follows([user, answer(2)]);

    expect(thinking.sendsOwn([user, answer(2)], request(true))).toEqual([user, without(2)]);
  });

  test("have the thinking of answers to themselves, also later", () => {
    const thinking = hostThinking();
    thinking.follows([user]);
    thinking.sendsOwn([user], request(true));
    thinking.follows([user, answer(2)]);
    thinking.sendsView();
    const messages = [user, answer(2), answer(3)];
    thinking.follows(messages);

    expect(thinking.sendsOwn(messages, request(true))).toEqual([user, answer(2), without(3)]);
  });

  test("have no thinking that was made after another system prompt", () => {
    const thinking = hostThinking();
    thinking.follows([user]);
    thinking.sendsOwn([user], request(true, "another"));
    thinking.follows([user, answer(2)]);

    expect(thinking.sendsOwn([user, answer(2)], request(true))).toEqual([user, without(2)]);
  });

  test("have no thinking of an earlier process, whose requests are unknown", () => {
    const thinking = hostThinking();
    thinking.follows([user, answer(2)]);

    expect(thinking.sendsOwn([user, answer(2)], request(true))).toEqual([user, without(2)]);
  });

  test("stay unchanged in a session that was never managed", () => {
    const thinking = hostThinking();
    const messages = [user, answer(2)];
    thinking.follows(messages);

    expect(thinking.sendsOwn(messages, request(false))).toBe(messages);
  });

  test("show by a tool's result that the session was managed before", () => {
    const thinking = hostThinking();
    const details = { self_context_manager: {} };
    const messages = [user, answer(2), { role: "toolResult", content: [], details, timestamp: 3 }];
    thinking.follows(messages);

    expect(thinking.sendsOwn(messages, request(false))[1]).toEqual(without(2));
  });
});

test("a model binds its thinking if it has refused some", () => {
  const thinking = hostThinking();
  const unknown = { id: "claude-next", api: "anthropic-messages" };
  const errorMessage =
    "400 messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  const refused = { ...answer(3), content: [], model: "claude-next", stopReason: "error" };
  thinking.follows([user, answer(2)]);
  expect(thinking.binds(unknown)).toBe(false);

  thinking.follows([user, answer(2), { ...refused, errorMessage }]);

  expect(thinking.binds(unknown)).toBe(true);
  expect(thinking.binds({ ...unknown, id: "another" })).toBe(false);
  expect(thinking.refusals).toBe(1);
});

test("the host's own messages stay unchanged for a model that does not bind its thinking", () => {
  const thinking = hostThinking();
  const messages = [user, answer(2)];
  thinking.follows(messages);

  expect(
    thinking.sendsOwn(messages, { ...request(true), model: { ...model, id: "claude-opus-4-8" } }),
  ).toBe(messages);
});
