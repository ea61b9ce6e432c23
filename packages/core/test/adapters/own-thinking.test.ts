import { describe, expect, test } from "vitest";
import { answerWithoutThinking } from "../../src/adapters/answer-without-thinking.ts";
import {
  type OwnThinking,
  ownThinking,
  type OwnThinkingOptions,
} from "../../src/adapters/own-thinking.ts";
import type { Message } from "../../src/chat/message.ts";
import { type ReadList, readList } from "../../src/host/read-list.ts";
import { plainCodec } from "../session/test-session.ts";

const request = (
  isManaged: boolean,
  head = "a",
): Parameters<OwnThinking<Message>["sendsOwn"]>[1] => ({
  isBound: true,
  head: () => head,
  isManaged,
});
const user: Message = { role: "user", content: "go", timestamp: 1 };
const text = { type: "text", text: "Well." } as const;

const listOf = (...messages: readonly Message[]): ReadList<Message> =>
  readList(messages, plainCodec);

/** Follows the messages of a model that binds its thinking. */
function thinkingWith(
  refusalIn?: OwnThinkingOptions<Message>["refusalIn"],
): OwnThinking<Message> & { read(...messages: readonly Message[]): void } {
  const thinking = ownThinking<Message>({
    refusalIn,
    withoutThinking: (raw) => answerWithoutThinking(raw, plainCodec, (message) => message),
  });
  return Object.assign(thinking, {
    read: (...messages: readonly Message[]) => thinking.follows(listOf(...messages), () => true),
  });
}

function answer(timestamp: number): Message {
  const thinking = { type: "thinking", thinking: "so", thinkingSignature: `sig ${timestamp}` };
  return { role: "assistant", content: [thinking, text], timestamp };
}

function without(timestamp: number): Message {
  return { role: "assistant", content: [text], timestamp };
}

describe("the host's own messages, for a model that binds its thinking", () => {
  test("have no thinking of answers to a view", () => {
    const thinking = thinkingWith();
    thinking.read(user);
    thinking.sendsView();
    thinking.read(user, answer(2));

    expect(thinking.sendsOwn(listOf(user, answer(2)), request(true))).toEqual([user, without(2)]);
  });

  test("have the thinking of answers to themselves, also later", () => {
    const thinking = thinkingWith();
    thinking.read(user);
    thinking.sendsOwn(listOf(user), request(true));
    thinking.read(user, answer(2));
    thinking.sendsView();
    const messages = [user, answer(2), answer(3)];
    thinking.read(...messages);

    expect(thinking.sendsOwn(listOf(...messages), request(true))).toEqual([
      user,
      answer(2),
      without(3),
    ]);
  });

  test("have no thinking that was made after another system prompt", () => {
    const thinking = thinkingWith();
    thinking.read(user);
    thinking.sendsOwn(listOf(user), request(true, "another"));
    thinking.read(user, answer(2));

    expect(thinking.sendsOwn(listOf(user, answer(2)), request(true))).toEqual([user, without(2)]);
  });

  test("have no thinking of an earlier process, whose requests are unknown", () => {
    const thinking = thinkingWith();
    thinking.read(user, answer(2));

    expect(thinking.sendsOwn(listOf(user, answer(2)), request(true))).toEqual([user, without(2)]);
  });

  test("stay unchanged in a session that was never managed", () => {
    const thinking = thinkingWith();
    const messages = [user, answer(2)];
    thinking.read(...messages);

    expect(thinking.sendsOwn(listOf(...messages), request(false))).toBeUndefined();
  });

  test("show by a tool's result that the session was managed before", () => {
    const thinking = thinkingWith();
    const details = { self_context_manager: {} };
    const result = { role: "toolResult", toolCallId: "c", toolName: "pin", content: [] } as const;
    const messages = [user, answer(2), { ...result, isError: false, details, timestamp: 3 }];
    thinking.read(...messages);

    expect(thinking.sendsOwn(listOf(...messages), request(false))?.[1]).toEqual(without(2));
  });
});

const error =
  "400 messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";

describe("a model binds its thinking", () => {
  test("if a refusal of it is in the list, which is counted once", () => {
    const refused: Message = { role: "assistant", content: [], isFailed: true, timestamp: 3 };
    const thinking = thinkingWith((one) =>
      one.role === "assistant" && one.isFailed === true ? { model: "acme/next", error } : undefined,
    );
    thinking.read(user, answer(2));
    expect(thinking.binds("acme/next", "free")).toBe(false);

    thinking.read(user, answer(2), refused);
    thinking.read(user, answer(2), refused);

    expect(thinking.binds("acme/next", "free")).toBe(true);
    expect(thinking.binds("acme/other", "free")).toBe(false);
    expect(thinking.refusals).toBe(1);
  });

  test("if it has refused some after a view, and not if it never got one", () => {
    const thinking = thinkingWith();
    thinking.refused({ model: "acme/one", error });
    thinking.sendsView();
    thinking.refused({ model: "acme/two", error });
    thinking.refused({ model: "acme/three", error: "overloaded" });

    const found = ["one", "two", "three"].map((name) => thinking.binds(`acme/${name}`, "free"));

    expect(found).toEqual([false, true, false]);
  });
});

test("the host's own messages stay unchanged for a model that does not bind its thinking", () => {
  const thinking = thinkingWith();
  const list = listOf(user, answer(2));
  thinking.follows(list, () => false);

  expect(thinking.sendsOwn(list, { ...request(true), isBound: false })).toBeUndefined();
});

test("thinking of the first own answer after a refusal stays", () => {
  const broken: Message = { role: "assistant", content: [], timestamp: 3 };
  const error = "400 messages.1.content.0: Invalid `signature` in `thinking` block";
  const thinking = thinkingWith((raw) =>
    raw.timestamp === broken.timestamp ? { model: "a", error } : undefined,
  );
  const follow = (...messages: readonly Message[]): ReadList<Message> => {
    const list = listOf(...messages);
    thinking.follows(list, () => thinking.binds("a", undefined));
    return list;
  };
  follow(user);
  thinking.sendsView();
  follow(user, answer(2));
  thinking.sendsView();
  thinking.sendsOwn(follow(user, answer(2), broken), request(true));
  const last = follow(user, answer(2), broken, answer(4));

  expect(thinking.sendsOwn(last, request(true))).toEqual([user, without(2), broken, answer(4)]);
});
