import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { openTestSession } from "../session/test-session.ts";

const said = (text: string): Message => ({ role: "user", content: text });
const answered = (text: string): Message => ({
  role: "assistant",
  content: [{ type: "text", text }],
});

describe("the neutral codec", () => {
  it("recognises messages without times, also two of the same text", async () => {
    const { session } = await openTestSession();
    const messages = [said("go on"), answered("done"), said("go on"), answered("done")];
    await session.ingest(readList(messages, neutralCodec));

    const again = await session.ingest(readList([...messages, said("go on")], neutralCodec));

    expect(again).toMatchObject({ type: "appended", added: 1 });
    expect((await session.status()).turnCount).toBe(3);
  });

  it("names a summary and a message of the host's own by their kind", () => {
    const raw = { text: "…" };

    expect(neutralCodec.identify({ role: "opaque", kind: "note", raw })).toEqual({ role: "note" });
    expect(
      neutralCodec.identify({ role: "summary", kind: "recap", raw, isFromManager: false }),
    ).toEqual({ role: "recap" });
  });
});

describe.each([epochLayout(), pooledLayout])("in the layout $name", (layout) => {
  it("the further fields of a user's message return with it", async () => {
    const { session } = await openTestSession({ layout });
    const prompt: Message = { role: "user", content: "go", meta: { name: "Ann" } };

    const view = await session.ingestAndView(readList([prompt], neutralCodec));

    expect(view.messages.find(({ role }) => role === "user")).toEqual(prompt);
  });

  it("an answer that failed is stored and not shown", async () => {
    const { session, store } = await openTestSession({ layout });
    const messages: Message[] = [
      said("go"),
      { role: "assistant", content: [{ type: "text", text: "half" }], isFailed: true },
      answered("whole"),
    ];

    const view = await session.ingestAndView(readList([...messages, said("more")], neutralCodec));

    expect(JSON.stringify(view.messages)).toContain("whole");
    expect(JSON.stringify(view.messages)).not.toContain("half");
    const { chatId } = await session.status();
    expect(JSON.stringify((await store.get(chatId))?.body)).toContain("half");
  });
});

it("the neutral codec reads any value", () => {
  const odd: unknown[] = [null, 1, "text", [], {}, { role: "user" }, { role: "toolResult" }];
  const read = odd.map((value) => neutralCodec.decode(value as Message).role);

  expect(read).toEqual(odd.map(() => "opaque"));
  expect(odd.map((value) => neutralCodec.identify(value as Message).role)).toEqual(
    odd.map(() => "unreadable"),
  );
});
