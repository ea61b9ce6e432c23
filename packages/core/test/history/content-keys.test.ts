import { describe, expect, it } from "vitest";
import { contentKey } from "../../src/chat/content-key.ts";
import type { Block, Message } from "../../src/chat/message.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { openTestSession, otherHost } from "../session/test-session.ts";

const plain: MessageCodec<Message> = {
  identify: ({ role }) => ({ role }),
  decode: (message) => message,
};

const answer = (content: readonly Block[], meta: Record<string, string> = {}): Message => ({
  role: "assistant",
  content,
  meta,
});

const text = (words: string): Block => ({ type: "text", text: words });

describe("the key that a message gets from its content", () => {
  const call: Block = { type: "toolCall", id: "c", name: "x", arguments: { cache_control: 1 } };

  it.each<readonly [string, Message, Message]>([
    [
      "a mark for the cache",
      { role: "user", content: [text("go")] },
      { role: "user", content: [{ ...text("go"), cache_control: { type: "ephemeral" } }] },
    ],
    [
      "a mark among a provider's options",
      { role: "user", content: [text("go")] },
      {
        role: "user",
        content: [{ ...text("go"), providerOptions: { anthropic: { cacheControl: {} } } }],
      },
    ],
    [
      "a cache point",
      { role: "user", content: [text("go")] },
      { role: "user", content: [text("go"), { type: "cachePoint" }] },
    ],
    ["a text as a block", { role: "user", content: "go" }, { role: "user", content: [text("go")] }],
    ["the usage of an answer", answer([text("ok")]), answer([text("ok")], { usage: "9" })],
  ])("stays with %s", (_, one, other) => {
    expect(contentKey(other)).toBe(contentKey(one));
  });

  it.each<readonly [string, Message, Message]>([
    ["another text", { role: "user", content: "go" }, { role: "user", content: "go on" }],
    ["another role", { role: "user", content: [text("ok")] }, answer([text("ok")])],
    [
      "another picture",
      { role: "user", content: [{ type: "image", data: "a", mimeType: "image/png" }] },
      { role: "user", content: [{ type: "image", data: "b", mimeType: "image/png" }] },
    ],
    ["other arguments", answer([call]), answer([{ ...call, arguments: { cache_control: 2 } }])],
    [
      "another opaque message",
      { role: "opaque", kind: "note", raw: { text: "a" } },
      { role: "opaque", kind: "note", raw: { text: "b" } },
    ],
  ])("is another for %s", (_, one, other) => {
    expect(contentKey(other)).not.toBe(contentKey(one));
  });
});

it("known messages with new marks and usage are not ingested again", async () => {
  const { session } = await openTestSession();
  await session.ingest(readList([{ role: "user", content: "go" }, answer([text("ok")])], plain));

  const report = await session.ingest(
    readList(
      [
        { role: "user", content: [{ ...text("go"), cache_control: { type: "ephemeral" } }] },
        answer([text("ok")], { usage: "9" }),
        { role: "user", content: "go" },
      ],
      plain,
    ),
  );

  expect(report).toMatchObject({ type: "appended", added: 1 });
});

it("a message with a fingerprint is decoded once, however often the list is sent", async () => {
  const decoded = new Map<Message, number>();
  const codec: MessageCodec<Message> = {
    identify: (message) => ({ role: message.role, fingerprint: JSON.stringify(message) }),
    decode(message) {
      decoded.set(message, (decoded.get(message) ?? 0) + 1);
      return message;
    },
  };
  const opened = await openTestSession();
  const messages: Message[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    messages.push({ role: "user", content: "go on" }, answer([text(`done ${turn}`)]));
    await opened.session.ingestAndView(readList(messages, codec));
  }

  expect([...decoded.values()]).toEqual(messages.map(() => 1));
  const again = await opened.reopen();
  expect(await again.ingest(readList(messages, codec))).toMatchObject({
    type: "appended",
    added: 0,
  });
  const other = await opened.reopen(otherHost);
  expect(await other.ingest(readList(messages, codec))).toMatchObject({ added: messages.length });
});
