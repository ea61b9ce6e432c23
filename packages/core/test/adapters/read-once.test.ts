import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { connect } from "../../src/adapters/connection.ts";
import type { ModelCallRequest } from "../../src/adapters/model-calls.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";

const count = 100;

/** Returns a chat of this many messages after the first request. */
function chat(): readonly Message[] {
  return Array.from({ length: count }, (_, index): Message => {
    const timestamp = 1_000 + index;
    return index % 2 === 0
      ? { role: "user", content: `prompt ${index}`, timestamp }
      : {
          role: "assistant",
          content: [{ type: "text", text: `answer ${index}` }],
          meta: {},
          timestamp,
        };
  });
}

/** Returns how often each message of a request is identified and decoded, at most. */
async function readsOf(
  request: (messages: readonly Message[]) => ModelCallRequest<Message>,
): Promise<{ readonly identified: number; readonly decoded: number }> {
  const identified = new Map<Message, number>();
  const decoded = new Map<Message, number>();
  const codec: MessageCodec<Message> = {
    identify(raw) {
      identified.set(raw, (identified.get(raw) ?? 0) + 1);
      return plainCodec.identify(raw);
    },
    decode(raw) {
      decoded.set(raw, (decoded.get(raw) ?? 0) + 1);
      return plainCodec.decode(raw);
    },
  };
  const { session } = await openTestSession();
  const connection = connect<Message>({
    open: async () => await Promise.resolve(session),
    codec,
    encode: (message) => message,
    hostTools: [],
  });
  const messages = chat();
  await connection.modelCall({ messages: messages.slice(0, count - 1) });
  identified.clear();
  decoded.clear();
  const call = await connection.modelCall(request(messages));
  expect(call?.view).toBeDefined();
  return {
    identified: Math.max(...identified.values()),
    decoded: Math.max(0, ...decoded.values()),
  };
}

describe("each message of a request is read once", () => {
  const reminder: Message = { role: "user", content: "be brief", timestamp: 9_000 };

  it.each<readonly [string, (messages: readonly Message[]) => ModelCallRequest<Message>]>([
    ["in the host's own list", (messages) => ({ messages })],
    [
      "with a message of another extension",
      (messages) => ({
        messages: [...messages, reminder],
        host: messages,
        added: new Set([reminder]),
      }),
    ],
    [
      "with a message left out",
      (messages) => ({ messages: messages.filter((_, index) => index !== 5), host: messages }),
    ],
  ])("%s", async (_, request) => {
    expect(await readsOf(request)).toEqual({ identified: 1, decoded: 1 });
  });
});
