import { expect, it } from "vitest";
import type { Block, Message } from "../../src/chat/message.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { openTestSession } from "../session/test-session.ts";

/** A host whose messages have neither ids nor times. */
const codec: MessageCodec<Message> = {
  identify: (message) => ({
    role: message.role,
    ...(message.role === "toolResult" ? { callId: message.toolCallId } : {}),
  }),
  decode: (message) => message,
};

it("two results that come late, one after the other, make no message new", async () => {
  const { session } = await openTestSession();
  const call = (id: string): Block => ({ type: "toolCall", id, name: "bash", arguments: {} });
  const result = (toolCallId: string): Message => ({
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [{ type: "text", text: `output of ${toolCallId}` }],
    isError: false,
  });
  const say = (text: string): Message => ({
    role: "assistant",
    content: [{ type: "text", text }],
    meta: {},
  });
  const user = (content: string): Message => ({ role: "user", content });
  const calls: Message = { role: "assistant", content: [call("c1"), call("c2")], meta: {} };
  const begin = [user("go"), calls];
  const later = [say("one"), user("on"), say("two"), user("and on")];

  await session.ingest(readList([...begin, ...later.slice(0, 2)], codec));
  await session.ingest(readList([...begin, result("c2"), ...later], codec));
  await session.ingest(
    readList([...begin, result("c1"), result("c2"), ...later, say("three")], codec),
  );

  expect((await session.status()).turnCount).toBe(3);
});
