import { expect, it } from "vitest";
import { scriptHistory } from "./script-history.ts";
import type { Message } from "../../src/chat/message.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { openTestSession, plainCodec } from "./test-session.ts";

it("knows a host's list up to the last message that it ingested", async () => {
  const opened = await openTestSession();
  const { session } = opened;
  const history = scriptHistory();
  history.user("go");
  history.call("bash", { command: "ls" }, "a.txt");
  const { messages } = history;

  expect(await session.knownUntil(readList(messages, plainCodec))).toBe(0);

  await history.ingest(session);
  history.user("go on");
  history.say("done");

  expect(await session.knownUntil(readList(messages, plainCodec))).toBe(3);
  expect(await session.knownUntil(readList(messages.slice(2), plainCodec))).toBe(1);
  const again = await opened.reopen();
  expect(await again.knownUntil(readList(messages, plainCodec))).toBe(3);
});

it("knows words that had their answer only if the user went back to them", async () => {
  const { session } = await openTestSession();
  const codec: MessageCodec<Message> = {
    identify: ({ role }) => ({ role }),
    decode: (message) => message,
  };
  const answer = {
    role: "assistant",
    content: [{ type: "text", text: "done" }],
    meta: {},
  } as const;
  const prompt = { role: "user", content: "go" } as const;
  await session.ingest(readList([prompt, answer, prompt, answer], codec));

  expect(await session.knownUntil(readList([prompt], codec))).toBe(0);
  expect(await session.knownUntil(readList([prompt], codec), { rewound: true })).toBe(1);
  const same = [prompt, answer, prompt, answer, prompt];
  expect(await session.knownUntil(readList(same, codec), { rewound: true })).toBe(4);
});
