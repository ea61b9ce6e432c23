import { sha256 } from "@self-context-manager/objects";
import { describe, expect, it, vi } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { prompt } from "../history/host-messages.ts";
import { scriptHistory } from "../session/script-history.ts";
import { plainCodec } from "../session/test-session.ts";
import { testConnection } from "./test-connection.ts";

const hello = [prompt("hello", 1)];
const claude = { provider: "anthropic", id: "claude-opus-5", api: "anthropic-messages" };
const marker = { cache_control: { type: "ephemeral" } };
const payload = {
  max_tokens: 10,
  system: [{ type: "text", text: "prompt", ...marker }],
  tools: [{ name: "read", ...marker }],
  messages: [{ role: "user", content: [{ type: "text", text: "hello", ...marker }] }],
};

/** Changes sessions so that they note the hashes that they get. */
function noting(hashes: unknown[]): (session: ContextSession) => ContextSession {
  return (session) =>
    Object.assign(Object.create(session) as ContextSession, {
      recordPayload: async (...args: [number, string]) => {
        hashes.push(args);
        await session.recordPayload(...args);
      },
    });
}

describe("the request in the provider's form", () => {
  it("is kept as a hash with its call, of an object and of a text", async () => {
    const hashes: unknown[] = [];
    const { connection } = await testConnection({ changed: noting(hashes) });
    connection.payload(payload);
    await connection.modelCall({ messages: hello });

    const marked = connection.payload(payload);
    connection.payload("a text");

    expect(marked).toBeUndefined();
    await vi.waitFor(
      () =>
        expect(hashes).toEqual([
          [1, sha256(JSON.stringify(payload))],
          [1, sha256("a text")],
        ]),
      30_000,
    );
  });

  it("has its hash with the answer in the store", async () => {
    const { connection } = await testConnection();
    const history = scriptHistory();
    history.user("hello");
    await connection.modelCall({ messages: history.messages });
    connection.payload(payload);
    history.say("hi");

    await connection.ingest(history.messages);

    const session = await connection.session();
    const chat = await session.inspect((await session.status()).chatId);
    expect(JSON.stringify(chat)).toContain(sha256(JSON.stringify(payload)));
  });

  it("gets the view's breakpoints if they are wanted, and the hash is of the request with them", async () => {
    const hashes: unknown[] = [];
    const { connection } = await testConnection({
      changed: noting(hashes),
      layout: epochLayout(),
      host: { breakpoints: "own" },
    });
    const options = connection.modelOptions(claude);
    await connection.modelCall({ messages: hello, ...options });

    const marked = connection.payload(payload);

    expect(options.breakpoints).toBe("own");
    expect(marked?.["tools"]).toEqual([{ name: "read" }]);
    await vi.waitFor(() => expect(hashes).toEqual([[1, sha256(JSON.stringify(marked))]]), 30_000);
  });

  it("stays as it is if it cannot be read, and the user is notified", async () => {
    const { connection, notices } = await testConnection({ host: { breakpoints: "own" } });
    await connection.modelCall({ messages: hello });
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;

    expect(connection.payload(circular)).toBeUndefined();
    expect(notices).toHaveLength(1);
  });
});

describe("the figures for the user", () => {
  it("are those of the next view and of the requests so far, and looking records nothing", async () => {
    const { connection } = await testConnection({ layout: epochLayout() });
    const options = connection.modelOptions(claude);
    await connection.modelCall({ messages: hello, ...options });
    await connection.modelCall({ messages: [...hello, prompt("more", 2)], ...options });
    connection.answered({ input: 5, cacheRead: 7, cacheWrite: 0 });

    const view = await connection.peek(options);
    const figures = connection.figures(view, options.prices);

    expect(figures).toMatchObject({
      tokens: view.tokens,
      stability: { isAppended: true },
      prices: { source: "table" },
      reported: { cacheRead: 7 },
    });
    expect(figures.account?.estimated.calls).toBe(2);
  });
});

describe("managed context that is off", () => {
  it("opens nothing, sends the host's own messages and lets all tools run", async () => {
    const { connection, opened, held } = await testConnection({ host: { isOff: true } });
    const write = { id: "call_1", name: "write", args: { path: "n.md", content: "new\n" } };

    const call = await connection.modelCall({ messages: hello });
    await connection.beginTool(write);
    await connection.endTool(write, {});
    await connection.ingest(hello);

    expect([call, await connection.systemPrompt("Be kind.")]).toEqual([undefined, "Be kind."]);
    expect([opened(), held()]).toEqual([0, []]);
  });

  it("refuses a context tool, and is on again when the user switches it on", async () => {
    const { connection } = await testConnection();
    connection.turn(false);

    const refused = await connection.tools[0]?.run({ id: "f1" }, "call_1");
    connection.turn(true);

    expect(refused?.text).toContain("Managed context is off; the user can switch it on.");
    expect((await connection.modelCall({ messages: hello }))?.view).toBeDefined();
  });

  it("sends no thinking of answers to views that the model would refuse", async () => {
    const { connection } = await testConnection({ layout: epochLayout() });
    await connection.modelCall({ messages: hello, thinking: "bound" });
    const thinking = { type: "thinking", thinking: "why", thinkingSignature: "signed" } as const;
    const content = [thinking, { type: "text", text: "done" }];
    const answer: Message = { role: "assistant", content, timestamp: 2 };
    connection.turn(false);

    const call = await connection.modelCall({ messages: [...hello, answer], thinking: "bound" });

    expect(call?.view).toBeUndefined();
    expect(JSON.stringify(call?.messages)).not.toContain("why");
  });
});

describe("the host", () => {
  it("is notified of each failure, and of the kind of each text for the user", async () => {
    const failures: unknown[] = [];
    const kinds: unknown[] = [];
    const error = new Error("no view");
    const { connection, fail } = await testConnection({
      host: {
        onFailure: (failure) => void failures.push(failure),
        notify: (text, kind) => void kinds.push([kind, text]),
        notices: { whose: "Acme's", advice: "ACME=0 switches it off." },
      },
    });
    fail(error);

    await connection.modelCall({ messages: hello });
    await connection.modelCall({ messages: hello });

    expect([failures, connection.isFailing]).toEqual([[error, error], true]);
    expect(kinds).toEqual([
      [
        "failure",
        "self-context-manager: Acme's own messages are sent to the model. No view. The next call tries again; ACME=0 switches it off.",
      ],
    ]);
  });

  it("can report an overflow without an error, once for each request", async () => {
    const refusals: unknown[] = [];
    const { connection } = await testConnection({
      changed: (session) =>
        Object.assign(Object.create(session) as ContextSession, {
          recordRefusal: async (...args: Parameters<ContextSession["recordRefusal"]>) => {
            refusals.push(...args);
            return await session.recordRefusal(...args);
          },
        }),
    });
    await connection.modelCall({ messages: hello, model: "acme/one", contextWindow: 100_000 });

    const answers = [await connection.refused(), await connection.refused()];

    expect(answers).toEqual([true, true]);
    expect(refusals).toEqual([{ error: "", isTooLong: true, model: "acme/one", call: 1 }]);
  });

  it("can say which tools are recorded, that its model cannot activate, and complete its list", async () => {
    let canActivate = false;
    const { connection, held } = await testConnection({
      host: { isRecorded: (name) => name !== "write", canActivate: () => canActivate },
    });
    await connection.beginTool({ id: "c", name: "write", args: { path: "n.md", content: "" } });
    const recorded = await connection.modelCall({ messages: hello });
    canActivate = true;

    const call = await connection.modelCall({
      messages: [],
      complete: async (session) => {
        const { turnCount } = await session.status();
        const messages = [...hello, prompt(`after ${turnCount} turn`, 2)];
        return readList(messages, plainCodec);
      },
    });

    expect([recorded, held()]).toEqual([undefined, []]);
    expect(JSON.stringify(call?.messages)).toContain("after 1 turn");
  });
});
