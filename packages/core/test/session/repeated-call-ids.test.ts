import { describe, expect, it } from "vitest";
import { type AssistantMessage, isToolCall, type Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { Layout, ViewMessage } from "../../src/view/layout.ts";
import { openTestSession, plainCodec } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

const layouts: readonly (readonly [string, Layout])[] = [
  ["epoch", epochLayout()],
  ["pooled", pooledLayout],
];

/** An answer that calls tools, each with its id, its name and its arguments. */
const answer = (
  timestamp: number,
  ...calls: readonly (readonly [id: string, name: string, of: string])[]
): AssistantMessage => ({
  role: "assistant",
  content: calls.map(([id, name, path]) => ({
    type: "toolCall",
    id,
    name,
    arguments: { path },
  })),
  timestamp,
});

const result = (timestamp: number, id: string, name: string, text: string, isError = false) =>
  ({
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError,
    timestamp,
  }) as const;

const prompt = (timestamp: number, content: string): Message => ({
  role: "user",
  content,
  timestamp,
});

/** Returns the calls of a view, each with its result. A call without one has an empty text. */
const pairs = (messages: readonly ViewMessage[]): readonly (readonly [string, string])[] =>
  messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.filter(isToolCall).map(
          ({ id, name }) =>
            [
              name,
              messages
                .filter((one) => one.role === "toolResult" && one.toolCallId === id)
                .map(textOfMessage)
                .join(" and "),
            ] as const,
        )
      : [],
  );

/** Returns the texts of the user in a view, without those of the context manager. */
const spoken = (messages: readonly ViewMessage[]): readonly string[] =>
  messages
    .filter(({ role }) => role === "user")
    .map(textOfMessage)
    .filter((text) => !text.startsWith("Known objects:") && !/^Active: /mu.test(text));

const idsIn = (messages: readonly ViewMessage[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter(isToolCall).map(({ id }) => id) : [],
  );

const viewOf = async (
  session: ContextSession,
  messages: readonly Message[],
): Promise<readonly ViewMessage[]> => {
  await session.ingest(readList(messages, plainCodec));
  return (await session.nextView()).messages;
};

describe.each(layouts)("calls with the same id (%s)", (name, layout) => {
  const show = (text: string, handle: string, status: string): string =>
    name === "epoch" ? text : `${handle} ${status}`;

  it.each([
    ["dup", "dup"],
    ["", ""],
  ])("in one answer get their results in order: %j", async (first, second) => {
    const { session } = await openTestSession({ layout });
    const messages = [
      prompt(1, "go on"),
      answer(2, [first, "write", "a.txt"], [second, "grep", "b.txt"]),
      result(3, first, "write", "eight", true),
      result(3, second, "grep", "nine"),
    ];

    const view = await viewOf(session, messages);

    expect(pairs(view)).toEqual([
      ["write", expect.stringContaining(show("eight", "t1", "fail"))],
      ["grep", expect.stringContaining(show("nine", "t2", "ok"))],
    ]);
    expect(new Set(idsIn(view)).size).toBe(2);
    expect(spoken(view)).toEqual(["go on"]);
  });

  it("have the same ids and results after a resume and in a fork", async () => {
    const opened = await openTestSession({ layout });
    const messages = [
      prompt(1, "go on"),
      answer(2, ["dup", "write", "a.txt"], ["dup", "grep", "b.txt"]),
      result(3, "dup", "write", "eight", true),
      result(3, "dup", "grep", "nine"),
      answer(4, ["dup", "grep", "c.txt"]),
      result(5, "dup", "grep", "ten"),
    ];
    const first = await viewOf(opened.session, messages);

    const resumed = await viewOf(await opened.reopen(), messages);
    const fork = await opened.reopen({ harness: "test", sessionId: "session-2" });
    const forked = await viewOf(fork, messages);

    expect(new Set(idsIn(first)).size).toBe(3);
    expect(resumed).toEqual(first);
    expect(pairs(forked)).toEqual(pairs(first));
    expect(idsIn(forked)).toEqual(idsIn(first));
  });

  it("get their results when these come with later lists, with or without times", async () => {
    for (const hasTimes of [true, false]) {
      const { session } = await openTestSession({ layout });
      const all = [
        prompt(1, "go on"),
        answer(2, ["dup", "write", "a.txt"], ["dup", "grep", "b.txt"]),
        result(3, "dup", "write", "eight", true),
        result(4, "dup", "grep", "nine"),
        answer(5, ["dup", "find", "c.txt"], ["dup", "ls", "d.txt"]),
        result(6, "dup", "find", "ten"),
        result(7, "dup", "ls", "eleven"),
      ].map(({ timestamp, ...message }) =>
        hasTimes ? { ...message, timestamp } : message,
      ) as readonly Message[];
      let view: readonly ViewMessage[] = [];
      for (let length = 1; length <= all.length; length += 1)
        view = await viewOf(session, all.slice(0, length));

      expect(pairs(view)).toEqual([
        ["write", expect.stringContaining(show("eight", "t1", "fail"))],
        ["grep", expect.stringContaining(show("nine", "t2", "ok"))],
        ["find", expect.stringContaining(show("ten", "t3", "ok"))],
        ["ls", expect.stringContaining(show("eleven", "t4", "ok"))],
      ]);
      expect(new Set(idsIn(view)).size).toBe(4);
      expect(spoken(view)).toEqual(["go on"]);
    }
  });

  it("keep their texts when a host changes all ids", async () => {
    const opened = await openTestSession({ layout });
    const listWith = (id: (name: string) => string): readonly Message[] => [
      prompt(1, "go on"),
      answer(2, [id("one"), "write", "a.txt"], [id("two"), "grep", "b.txt"]),
      result(3, id("one"), "write", "eight", true),
      result(3, id("two"), "grep", "nine"),
      answer(4, [id("three"), "grep", "c.txt"]),
      result(5, id("three"), "grep", "ten"),
    ];
    const first = await viewOf(
      opened.session,
      listWith((id) => id),
    );

    const renamed = listWith((id) => `other-${id}`);
    const later = await viewOf(opened.session, renamed);
    const resumed = await viewOf(await opened.reopen(), [...renamed, prompt(6, "and now")]);

    expect(later).toEqual(first);
    expect(pairs(resumed)).toEqual(pairs(first));
    expect(spoken(resumed)).toEqual(["go on", "and now"]);
  });

  it("get a late result although the host has changed its id", async () => {
    const { session } = await openTestSession({ layout });
    await viewOf(session, [
      prompt(1, "go on"),
      answer(2, ["one", "write", "a.txt"], ["two", "grep", "b.txt"]),
      result(3, "one", "write", "eight", true),
    ]);

    const view = await viewOf(session, [
      prompt(1, "go on"),
      answer(2, ["x1", "write", "a.txt"], ["x2", "grep", "b.txt"]),
      result(3, "x1", "write", "eight", true),
      result(3, "x2", "grep", "nine"),
    ]);

    expect(pairs(view)).toEqual([
      ["write", expect.stringContaining(show("eight", "t1", "fail"))],
      ["grep", expect.stringContaining(show("nine", "t2", "ok"))],
    ]);
  });
});
