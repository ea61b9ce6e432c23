import type { ObjectStore } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { Message } from "../../src/chat/message.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { oneCall } from "../session/script-history.ts";
import { type ToolFacts, usualToolFacts } from "../../src/calls/tool-facts.ts";
import { readList } from "../../src/host/read-list.ts";
import { viewParts } from "../session/view-parts.ts";
import { openTestSession, otherHost, plainCodec } from "../session/test-session.ts";
import { prompt } from "./host-messages.ts";

/** What a host gave: a prompt, then one call with its output for each of the texts. */
interface Given {
  readonly prompt: string;
  readonly outputs: readonly string[];
}

/** The messages of a chat whose tool call ids count from 0. */
function messagesOf(given: readonly Given[], hasTimes: boolean): readonly Message[] {
  const messages: Message[] = [];
  const push = (message: Message): void => {
    messages.push(hasTimes ? { ...message, timestamp: messages.length } : message);
  };
  let calls = 0;
  for (const { prompt: text, outputs } of given) {
    push({ role: "user", content: text });
    for (const output of outputs) {
      const id = `call_${calls}`;
      calls += 1;
      push({
        role: "assistant",
        content: [{ type: "toolCall", id, name: "bash", arguments: { command: "next" } }],
        meta: { stopReason: "toolUse" },
      });
      push({
        role: "toolResult",
        toolCallId: id,
        toolName: "bash",
        content: [{ type: "text", text: output }],
        isError: false,
      });
    }
  }
  return messages;
}

/** The outputs that a session's objects hold, in order. */
async function outputsOf(store: ObjectStore, session: ContextSession): Promise<readonly string[]> {
  const { objects } = await session.status();
  const calls = objects.filter(({ stored }) => stored.body.type === "toolcall");
  const stored = await store.getMany(calls.map(({ stored: { body } }) => body.id));
  return stored.map((one) => String(one?.body.content));
}

async function idsOf(session: ContextSession): Promise<readonly string[]> {
  return (await session.status()).objects.map(({ stored }) => stored.body.id);
}

const output = fc.constantFrom("one", "two", "three");

const given: fc.Arbitrary<readonly Given[]> = fc.array(
  fc.record({
    prompt: fc.constantFrom("go", "go on"),
    outputs: fc.array(output, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe("calls with the id of a call in another session", () => {
  it.each([true, false])("keep their own output (times: %s)", async (hasTimes) => {
    const opened = await openTestSession();
    const { session, store } = opened;
    const other = await opened.reopen(otherHost);
    await session.ingest(
      readList(messagesOf([{ prompt: "go", outputs: ["of the first"] }], hasTimes), plainCodec),
    );

    await other.ingest(
      readList(messagesOf([{ prompt: "go", outputs: ["of the second"] }], hasTimes), plainCodec),
    );

    expect(await outputsOf(store, session)).toEqual(["of the first"]);
    expect(await outputsOf(store, other)).toEqual(["of the second"]);
  });

  it("have an object of their own if something else was said before, even with an equal output", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const other = await opened.reopen(otherHost);
    await session.ingest(
      readList(messagesOf([{ prompt: "go", outputs: ["A"] }], true), plainCodec),
    );

    await other.ingest(
      readList(messagesOf([{ prompt: "go on", outputs: ["A"] }], true), plainCodec),
    );

    expect(await idsOf(session)).toEqual(["call_0"]);
    expect(await idsOf(other)).not.toEqual(["call_0"]);
  });

  it("have an object of their own if the same call ran at another time", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const other = await opened.reopen(otherHost);
    const messages = messagesOf([{ prompt: "go", outputs: ["A"] }], true);
    await session.ingest(readList(messages, plainCodec));

    await other.ingest(
      readList(
        messages.map((one) => (one.role === "toolResult" ? { ...one, timestamp: 99 } : one)),
        plainCodec,
      ),
    );

    expect(await idsOf(other)).not.toEqual(["call_0"]);
  });

  it("have an object of their own after few other chats were read, if many made the same call", async () => {
    const kept = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
    let reads = 0;
    const store: ObjectStore = {
      ...kept,
      async get(id, at) {
        if (at !== undefined) reads += 1;
        return await kept.get(id, at);
      },
    };
    const opened = await openTestSession({ store });
    for (let index = 0; index < 20; index += 1) {
      const session = await opened.reopen({ harness: "test", sessionId: `s${index}` });
      await session.ingest(
        readList(messagesOf([{ prompt: `question ${index}`, outputs: ["A"] }], false), plainCodec),
      );
    }
    reads = 0;

    await opened.session.ingest(
      readList(messagesOf([{ prompt: "go", outputs: ["A"] }], false), plainCodec),
    );

    expect(await outputsOf(store, opened.session)).toEqual(["A"]);
    expect(reads).toBeLessThanOrEqual(8);
    expect(reads).toBeGreaterThan(0);
  });

  it("are shared by a fork whose beginning a summary replaced", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const history = oneCall();
    history.user("more");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const fork = await opened.reopen(otherHost);

    await fork.ingest(readList([...history.messages.slice(3), prompt("other")], plainCodec));

    expect(await idsOf(fork)).toEqual(["call_2"]);
  });

  it("are shared by a fork of an abandoned branch", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const history = oneCall();
    history.user("a wrong turn");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    await session.ingest(
      readList([...history.messages.slice(0, 3), prompt("a right turn")], plainCodec),
    );
    const fork = await opened.reopen(otherHost);

    await history.ingest(fork);

    expect(await idsOf(fork)).toEqual(["call_1", "call_2"]);
  });

  it("are shared by a fork, also if their objects have other ids because the ids were taken", async () => {
    const opened = await openTestSession();
    const first = await opened.reopen({ harness: "test", sessionId: "s0" });
    const taking = { prompt: "go", outputs: ["of the first", "b", "c"] };
    await first.ingest(readList(messagesOf([taking], false), plainCodec));
    const chat = [
      { prompt: "look", outputs: ["one", "two"] },
      { prompt: "go on", outputs: ["three"] },
    ];
    await opened.session.ingest(readList(messagesOf(chat, false), plainCodec));
    const fork = await opened.reopen(otherHost);

    await fork.ingest(
      readList(messagesOf([...chat, { prompt: "more", outputs: ["four"] }], false), plainCodec),
    );

    const ids = await idsOf(opened.session);
    expect(ids).not.toContain("call_0");
    expect((await idsOf(fork)).slice(0, 3)).toEqual(ids);
    expect(await outputsOf(opened.store, fork)).toEqual(["one", "two", "three", "four"]);
  });

  it("show a fork the file that a tool of any name has read, without the details of its result", async () => {
    const toolFacts: ToolFacts = (name) =>
      name === "open_file"
        ? { kind: "read", paths: [], contextTool: "read" }
        : usualToolFacts(name, {});
    const opened = await openTestSession({ files: { "/work/a.txt": "the words of a" }, toolFacts });
    const taken = await opened.reopen({ harness: "test", sessionId: "s0" });
    await taken.ingest(
      readList(messagesOf([{ prompt: "go", outputs: ["of the first"] }], false), plainCodec),
    );
    const { text } = await opened.session.read({ path: "a.txt" }, { callId: "call_0" });
    const messages: readonly Message[] = [
      { role: "user", content: "look" },
      {
        role: "assistant",
        content: [{ type: "toolCall", id: "call_0", name: "open_file", arguments: {} }],
        meta: { stopReason: "toolUse" },
      },
      {
        role: "toolResult",
        toolCallId: "call_0",
        toolName: "open_file",
        content: [{ type: "text", text }],
        isError: false,
      },
    ];
    await opened.session.ingest(readList(messages, plainCodec));
    const fork = await opened.reopen(otherHost);

    await fork.ingest(readList([...messages, { role: "user", content: "go on" }], plainCodec));

    expect((await viewParts(fork)).activeTexts.join()).toContain("the words of a");
  });

  it.each([true, false])(
    "never get an output that their host did not give, in any order of sessions (times: %s)",
    async (hasTimes) => {
      await fc.assert(
        fc.asyncProperty(
          given,
          fc.array(fc.record({ from: fc.nat(9), turns: fc.nat(9), given }), { maxLength: 3 }),
          fc.boolean(),
          async (first, more, isStepwise) => {
            const opened = await openTestSession();
            const chats: (readonly Given[])[] = [first];
            // Each further session continues the beginning of an earlier one, or nothing of it.
            for (const { from, turns, given: next } of more) {
              const base = chats[from % chats.length] ?? [];
              chats.push([...base.slice(0, turns % (base.length + 1)), ...next]);
            }
            for (const [index, chat] of chats.entries()) {
              const session = await opened.reopen({ harness: "test", sessionId: `s${index}` });
              const messages = messagesOf(chat, hasTimes);
              for (const at of isStepwise ? messages.keys() : [])
                await session.ingest(readList(messages.slice(0, at), plainCodec));
              await session.ingest(readList(messages, plainCodec));

              const outputs = chat.flatMap((one) => one.outputs);
              expect(await outputsOf(opened.store, session)).toEqual(outputs);
              const again = await opened.reopen({ harness: "test", sessionId: `s${index}` });
              expect(await outputsOf(opened.store, again)).toEqual(outputs);
            }
          },
        ),
        { numRuns: propertyRuns(100) },
      );
    },
  );
});
