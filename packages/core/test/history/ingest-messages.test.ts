import { collectReferences, isReference, sealObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import type { Block, Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { oneCall, scriptHistory } from "../session/script-history.ts";
import { openTestSession, otherHost, plainCodec } from "../session/test-session.ts";
import {
  handlesIn,
  latest,
  storedTurns,
  textOfMessage,
  versionCount,
  viewParts,
} from "../session/view-parts.ts";
import { answer, prompt } from "./host-messages.ts";

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

describe("a host's ingested messages", () => {
  it("can be rebuilt from the turns, except for the outputs", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
    history.user("go");
    history.push({
      role: "assistant",
      content: [
        thinking,
        { type: "toolCall", id: "toolu_a", name: "bash", arguments: { command: "a" } },
        { type: "toolCall", id: "toolu_b", name: "grep", arguments: { pattern: "b" } },
      ],
      meta: { api: "x", provider: "y", model: "z", usage: { input: 3 }, stopReason: "toolUse" },
      timestamp: 5,
    });
    history.push(resultOf("toolu_a", "bash", "out a", 6));
    history.push(resultOf("toolu_b", "grep", "out b", 7));
    await history.ingest(session);

    const { chat } = await viewParts(session);

    expect(chat.slice(0, 2)).toEqual(history.messages.slice(0, 2));
    expect(chat.slice(2)).toEqual([
      resultOf("toolu_a", "bash", "[t1 ok, 5 chars]", 6),
      resultOf("toolu_b", "grep", "[t2 ok, 5 chars]", 7),
    ]);
  });

  it("change nothing when the host sends them again", async () => {
    const { session, store } = await openTestSession();
    const history = oneCall();
    await history.ingest(session);
    await session.deactivate("t1");
    const before = await versionCount(store);

    const report = await history.ingest(session);

    expect(report).toMatchObject({ type: "appended", added: 0 });
    expect(await versionCount(store)).toBe(before);
    expect(await handlesIn(session, "inactive")).toEqual(["t1"]);
  });

  it("keep their images: those of the user in the chat, those of a tool in its object (D18)", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user([{ type: "text", text: "see" }, image]);
    history.call("shot", { name: "x" }, [{ type: "text", text: "taken" }, image]);
    history.call("shot", { name: "y" }, [image]);
    await history.ingest(session);

    const { chat, active } = await viewParts(session);

    expect(chat[0]).toMatchObject({ content: [{ type: "text", text: "see" }, image] });
    expect(active.filter(({ type }) => type === "image")).toEqual([image, image]);
    expect((await latest(store, "call_1")).body.content).toBe("taken");
    expect((await latest(store, "call_2")).body.content).toBeNull();

    await session.deactivate("t1");
    await session.deactivate("t2");
    expect((await viewParts(session)).activeTexts).toEqual(["Active: u1."]);
  });

  it("leave failed and aborted answers out of the view and keep them in the store", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.say("half an ans", { stopReason: "aborted" });
    history.say("", { stopReason: "error", errorMessage: "overloaded" });
    history.say("whole");
    await history.ingest(session);

    const { chat } = await viewParts(session);

    expect(chat.map(textOfMessage)).toEqual(["go", "whole"]);
    expect((await storedTurns(store, session))[0]?.steps).toHaveLength(3);
  });

  it("keep opaque messages at their places (D33)", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    const raw = { role: "branchNote", anything: [1, { deep: null }] };
    history.user("go");
    history.push({ role: "opaque", kind: "branchNote", raw, timestamp: 3 });
    history.say("ok");
    await history.ingest(session);

    const { chat } = await viewParts(session);

    expect(chat[1]).toEqual({ role: "opaque", kind: "branchNote", raw, timestamp: 3 });
  });
});

describe("the object of a tool call", () => {
  it("is shared with a fork that sends the same execution again (D31)", async () => {
    const opened = await openTestSession();
    const history = oneCall();
    await history.ingest(opened.session);
    const fork = await opened.reopen(otherHost);

    await history.ingest(fork);

    expect((await fork.status()).objects.map(({ stored }) => stored.body.id)).toEqual(["call_1"]);
    expect(await opened.store.history("call_1" as never)).toHaveLength(1);
  });

  it("repeats its effect on the chat of its own session", async () => {
    const { session } = await openTestSession();
    const history = oneCall();
    await history.ingest(session);
    const { chatId } = await session.status();
    const report = "c1 (the chat) is now active, lines 1-2.";
    const effects = [{ op: "activate", id: chatId, range: { from: 1, to: 2 } }];
    const details = { self_context_manager: { report, effects } };
    history.call("activate", { id: "chat", from: 1, to: 2 }, report, { details });

    await history.ingest(session);

    expect((await viewParts(session)).activeTexts.join()).toMatch(/c1 chat v\d lines 1-2 of/u);
  });

  it("contains no reference for one that a model wrote into its arguments", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { ref: "dynamic", id: "x", deep: { ref: "dynamic", id: "y" } }, "A");

    await history.ingest(session);

    const { body } = await latest(store, "call_1");
    expect(collectReferences(body).map(({ path }) => path)).toEqual(["/chat_ref"]);
    expect(isReference(body["args"])).toBe(true);
    expect(sealObject(structuredClone(body)).hashes).toEqual(
      (await latest(store, "call_1")).hashes,
    );
  });
});

describe("histories that once caused errors", () => {
  it("ingest a result without a call once, however often the session is reopened", async () => {
    const opened = await openTestSession();
    const messages = [prompt("go", 1), resultOf("orphan_1", "bash", "lost and found", 2)];
    await opened.session.ingest(readList(messages, plainCodec));
    const before = await versionCount(opened.store);

    for (let time = 0; time < 2; time += 1) {
      const again = await opened.reopen();
      await again.ingest(readList(messages, plainCodec));
      expect((await again.status()).objects).toHaveLength(1);
    }

    expect(await versionCount(opened.store)).toBe(before);
  });

  it.each(["A", "another output"])(
    "show a result that is reported twice once, as it was reported first (%s)",
    async (second) => {
      const { session } = await openTestSession();
      const history = oneCall();
      await history.ingest(session);
      const { chat: before } = await viewParts(session);
      history.push(resultOf("call_1", "bash", second, 9_000_000_000_000));

      await history.ingest(session);

      const { chat, activeTexts } = await viewParts(session);
      expect(chat).toEqual(before);
      expect(activeTexts.join()).not.toContain("another output");
      expect((await session.status()).objects).toHaveLength(1);
    },
  );

  it("give a separate object to a call that uses the id of a lost call", async () => {
    const opened = await openTestSession();
    const call = (time: number): Message => ({
      role: "assistant",
      content: [{ type: "toolCall", id: "call_x", name: "bash", arguments: { time } }],
      meta: { stopReason: "toolUse" },
      timestamp: time,
    });
    const messages = [
      prompt("go", 1),
      call(2),
      call(3),
      resultOf("call_x", "bash", "of the second", 4),
    ];
    await opened.session.ingest(readList(messages, plainCodec));

    const turns = await storedTurns(opened.store, opened.session);
    const ids = turns[0]?.steps.flatMap((step) =>
      "toolcall_ids" in step ? step.toolcall_ids : [],
    );
    expect(new Set(ids).size).toBe(2);
    const { chat } = await viewParts(opened.session);
    expect(chat.map(textOfMessage).slice(2)).toEqual([
      "[no result: the call was interrupted]",
      "",
      "[t1 ok, 13 chars]",
    ]);
    const again = await opened.reopen();
    await again.ingest(readList(messages, plainCodec));
    expect((await again.nextView()).messages).toEqual((await opened.session.nextView()).messages);
  });

  it("branch before a result without a call, which stays known and is not ingested again", async () => {
    const opened = await openTestSession();
    const messages = [prompt("go", 1), resultOf("orphan_1", "bash", "lost", 2), answer("a", 3)];
    await opened.session.ingest(readList(messages, plainCodec));
    const branch = [...messages.slice(0, 2), prompt("otherwise", 9)];
    await opened.session.ingest(readList(branch, plainCodec));
    const view = await opened.session.nextView();

    const again = await opened.reopen();
    const report = await again.ingest(readList(branch, plainCodec));

    expect(report.added).toBe(0);
    expect(JSON.stringify((await again.nextView()).messages)).toBe(JSON.stringify(view.messages));
    expect(view.messages.map(textOfMessage).filter((text) => text === "a")).toEqual([]);
  });
});

function resultOf(id: string, tool: string, text: string, timestamp: number): Message {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: tool,
    content: [{ type: "text", text }],
    isError: false,
    timestamp,
  };
}
