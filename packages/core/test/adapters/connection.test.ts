import { StoreError } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import type { HostToolCall } from "../../src/adapters/host-tool-call.ts";
import type { Message } from "../../src/chat/message.ts";
import type { ModelCall } from "../../src/adapters/model-calls.ts";
import { modelOptions } from "../../src/cost/model-options.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { standingInstruction } from "../../src/session/context-tools.ts";
import { prompt } from "../history/host-messages.ts";
import { scriptHistory } from "../session/script-history.ts";
import { textOfMessage } from "../session/view-parts.ts";
import { testConnection } from "./test-connection.ts";

const busy = new StoreError("STORE_BUSY", "another process writes to the store");
const hello = [prompt("hello", 1)];

const written = (path: string, id = "call_1"): HostToolCall => ({
  id,
  name: "write",
  args: { path, content: "new\n" },
});

async function closed(): Promise<never> {
  return await Promise.reject(new StoreError("STORE_CLOSED", "the session is closed"));
}

function textsOf(call: ModelCall<Message> | undefined): readonly string[] {
  return (call?.view?.messages ?? []).map(textOfMessage);
}

function failing(): never {
  throw new Error("the codec is broken");
}

describe("a model call", () => {
  it("gets the view in the host's form", async () => {
    const { connection, notices } = await testConnection();

    const call = await connection.modelCall({ messages: hello, contextWindow: 100_000 });

    expect(call?.messages).toEqual(call?.view?.messages);
    expect(textsOf(call).join("\n")).toContain("hello");
    expect([call?.view?.call, connection.isManaged, notices]).toEqual([1, true, []]);
  });

  it("sends the host's own messages while the store does not work, and notifies the user once", async () => {
    const { connection, notices, fail } = await testConnection();
    fail(busy);

    const calls = [
      await connection.modelCall({ messages: hello }),
      await connection.modelCall({ messages: hello }),
    ];

    expect([calls, connection.isManaged]).toEqual([[undefined, undefined], false]);
    expect(notices).toEqual([
      "self-context-manager: The host's own messages are sent to the model. Another process writes to the store. The next call tries again.",
    ]);
  });

  it("leaves signed thinking out of the host's own messages, for a model that would refuse it", async () => {
    const { connection, fail } = await testConnection();
    const thinking = { type: "thinking", thinking: "why", thinkingSignature: "signed" } as const;
    const said = { type: "text", text: "done" } as const;
    const messages: Message[] = [
      ...hello,
      { role: "assistant", content: [thinking, said] },
      { role: "assistant", content: [thinking] },
      prompt("more", 2),
    ];
    fail(busy);

    const bound = await connection.modelCall({ messages, thinking: "bound" });
    const free = await connection.modelCall({ messages });

    const answer = { role: "assistant", content: [said] };
    expect(bound?.messages).toEqual([hello[0], answer, messages.at(-1)]);
    expect(bound?.view).toBeUndefined();
    expect(free).toBeUndefined();
  });

  it("leaves it out also for a model that has refused thinking before", async () => {
    const { connection, fail } = await testConnection();
    const thinking = { type: "thinking", thinking: "why", thinkingSignature: "signed" } as const;
    const said = { type: "text", text: "done" } as const;
    const answer: Message = { role: "assistant", content: [thinking, said], timestamp: 2 };
    const request = { messages: [...hello, answer, prompt("more", 3)], model: "anthropic/claude" };
    await connection.modelCall(request);
    await connection.refused("messages.1.content.0: Invalid `signature` in `thinking` block");
    fail(busy);

    const refusing = await connection.modelCall(request);
    const other = await connection.modelCall({ ...request, model: "anthropic/other" });

    const content = [said];
    expect(refusing?.messages).toEqual([hello[0], { ...answer, content }, request.messages[2]]);
    expect(other).toBeUndefined();
  });

  it("loses the thinking in view if the host's system prompt changed, for a model that binds it", async () => {
    const thoughts = async (secondPrompt: string): Promise<boolean> => {
      const { connection } = await testConnection({ layout: epochLayout() });
      await connection.systemPrompt("first");
      await connection.modelCall({ messages: hello, thinking: "bound" });
      const thinking = { type: "thinking", thinking: "why", thinkingSignature: "signed" } as const;
      const said = { type: "text", text: "done" } as const;
      const answer: Message = { role: "assistant", content: [thinking, said], timestamp: 2 };
      await connection.systemPrompt(secondPrompt);
      const messages = [...hello, answer, prompt("more", 3)];
      const call = await connection.modelCall({ messages, thinking: "bound" });
      return JSON.stringify(call?.messages).includes("why");
    };

    expect([await thoughts("first"), await thoughts("second")]).toEqual([true, false]);
  });

  it("gets a view with the missed messages when the store works again", async () => {
    const { connection, fail } = await testConnection();
    fail(busy);
    await connection.modelCall({ messages: hello });
    fail();

    const call = await connection.modelCall({ messages: [...hello, prompt("and more", 2)] });

    expect(textsOf(call).join("\n")).toMatch(/hello[^]*and more/u);
    expect(connection.isManaged).toBe(true);
  });

  it("does not take the answer to the host's own list for the answer to the view before", async () => {
    const { connection, fail } = await testConnection({ layout: epochLayout() });
    const options = modelOptions({ provider: "openai", id: "gpt-5" });
    await connection.modelCall({ messages: hello, ...options });
    fail(busy);
    await connection.modelCall({ messages: hello, ...options });
    fail();
    const usage = { input: 77_777, cacheRead: 0, cacheWrite: 0 };
    const content = [{ type: "text", text: "one" }];
    const answer: Message = { role: "assistant", content, usage, timestamp: 2 };

    await connection.modelCall({ messages: [...hello, answer, prompt("more", 3)], ...options });

    const { account } = await (await connection.session()).peekView(options);
    expect(JSON.stringify(account)).not.toContain("77777");
  });

  it("records a request that gets no view, and sends no thinking that the model would refuse", async () => {
    const { connection } = await testConnection({ layout: epochLayout() });
    await connection.modelCall({ messages: hello, thinking: "bound" });
    const thinking = { type: "thinking", thinking: "why", thinkingSignature: "signed" } as const;
    const said = { type: "text", text: "done" } as const;
    const answer: Message = { role: "assistant", content: [thinking, said], timestamp: 2 };
    const messages = [...hello, answer, prompt("more", 3)];

    const free = await connection.modelCall({ messages, recordOnly: true });
    const bound = await connection.modelCall({ messages, recordOnly: true, thinking: "bound" });

    expect(free).toBeUndefined();
    expect(bound?.view).toBeUndefined();
    expect(JSON.stringify(bound?.messages)).not.toContain("why");
    expect((await (await connection.session()).status()).turnCount).toBe(2);
  });

  it("leaves the host's messages as they are if its codec fails in a failure", async () => {
    const { connection, fail } = await testConnection();
    fail(busy);
    const broken = new Proxy<Message>({ role: "assistant", content: [] }, { get: () => failing() });

    const call = await connection.modelCall({ messages: [broken], thinking: "bound" });

    expect(call).toBeUndefined();
  });

  it("opens the session once in a request that begins, although it fails, and again in the next one", async () => {
    let isBroken = true;
    const opening = async (): Promise<void> => {
      await Promise.resolve();
      if (isBroken) throw busy;
    };
    const { connection, opened } = await testConnection({ opening });

    connection.beginRequest();
    await connection.systemPrompt("You are an agent.");
    await connection.modelCall({ messages: hello });
    await connection.ingest(hello);
    const failed = opened();
    isBroken = false;
    connection.beginRequest();
    const call = await connection.modelCall({ messages: hello });

    expect([failed, opened()]).toEqual([1, 2]);
    expect(call?.view).toBeDefined();
  });

  it("keeps the report that the user went back until the session has it", async () => {
    const { connection, fail } = await testConnection();
    const history = scriptHistory();
    history.user("first");
    history.say("one");
    await connection.modelCall({ messages: history.messages });
    history.user("second");
    await connection.modelCall({ messages: history.messages });
    const [first] = history.messages;
    fail(busy);
    await connection.modelCall({ messages: history.messages.slice(0, 1), rewound: true });
    fail();

    const call = await connection.modelCall({ messages: [first ?? prompt("", 1)] });

    expect(textsOf(call).join("\n")).not.toContain("second");
  });

  it("keeps the report that the user went back if the session cannot be opened", async () => {
    const { connection, opened } = await testConnection({
      opening: async () => {
        await Promise.resolve();
        if (opened() === 1) throw new Error("there is no disk");
      },
      changed: (session) => ({
        ...session,
        ingestAndView: async (list, options) => {
          signals.push(options?.rewound);
          return await session.ingestAndView(list, options);
        },
      }),
    });
    const signals: (boolean | undefined)[] = [];
    await connection.modelCall({ messages: hello, rewound: true });

    await connection.modelCall({ messages: hello });
    await connection.modelCall({ messages: hello });

    expect(signals).toEqual([true, undefined]);
  });

  it("takes no later answer for the answer to its last view, if a host without its whole list had none since", async () => {
    const { connection, fail } = await testConnection();
    const history = scriptHistory();
    history.user("first");
    await connection.modelCall({ messages: history.messages });
    fail(busy);
    history.say("one");
    history.user("second");
    await connection.modelCall({ messages: history.messages });
    history.say("two");
    history.user("third");
    fail();

    await connection.modelCall({ messages: history.messages.slice(-2) });

    const session = await connection.session();
    const chat = JSON.stringify(await session.inspect((await session.status()).chatId));
    expect(chat).toContain("two");
    expect(chat).not.toContain('"view":1');
  });

  it("notifies the user again of a trouble of the store that was over in between", async () => {
    const { connection, notices, fail } = await testConnection();
    for (const error of [busy, undefined, busy, busy]) {
      fail(error);
      await connection.modelCall({ messages: hello });
    }

    expect(notices).toHaveLength(2);
  });

  it("does not notify the user again of another failure that comes back", async () => {
    const { connection, notices, fail } = await testConnection();
    for (const error of [new Error("no view"), undefined, new Error("no view")]) {
      fail(error);
      await connection.modelCall({ messages: hello });
    }

    expect(notices).toHaveLength(1);
  });

  it("shows a message that others added only in its request, and follows what they left out", async () => {
    const { connection } = await testConnection();
    const own = [prompt("keep", 1), prompt("hide", 2)];
    const added = prompt("be brief", 3);
    await connection.modelCall({ messages: own });

    const request = { messages: [...own.slice(0, 1), added], host: own, added: new Set([added]) };
    const changed = textsOf(await connection.modelCall(request)).join("\n");
    const after = textsOf(await connection.modelCall({ messages: own, host: own })).join("\n");

    expect([changed.includes("be brief"), changed.includes("hide")]).toEqual([true, false]);
    expect([after.includes("be brief"), after.includes("hide")]).toEqual([false, true]);
  });

  it("has a shorter prompt after the provider refused the last one as too long", async () => {
    const { connection, notices } = await testConnection();
    await connection.modelCall({ messages: hello, model: "acme/one", contextWindow: 100_000 });

    const answers = [
      await connection.refused("overloaded"),
      await connection.refused("prompt is too long: 210000 tokens > 200000 maximum"),
    ];

    expect([answers, notices]).toEqual([[false, true], []]);
  });
});

describe("the system prompt", () => {
  it("is the host's with the instruction", async () => {
    const { connection } = await testConnection();

    expect(await connection.systemPrompt("Be kind.")).toBe(`Be kind.\n\n${standingInstruction}`);
  });

  it("is the host's alone after a failure", async () => {
    const { connection, fail } = await testConnection();
    fail(busy);

    expect(await connection.systemPrompt("Be kind.")).toBe("Be kind.");
  });
});

describe("the context tools", () => {
  it("do not include read beside a tool of the host that reads files", async () => {
    const { connection } = await testConnection({ hostTools: ["read_file", "bash"] });

    expect(connection.tools.map(({ name }) => name)).toEqual([
      "activate",
      "deactivate",
      "pin",
      "unpin",
      "find_objects",
    ]);
  });

  it("have other names if one of theirs is taken, and the instruction says so", async () => {
    const { connection } = await testConnection({ hostTools: ["pin"] });

    expect(connection.tools.map(({ name }) => name)).toContain("context_read");
    expect(connection.instruction).toContain("Your tools for objects begin with context_");
  });

  it("are missing if the other names are taken too, and then the session is only recorded", async () => {
    const { connection, notices } = await testConnection({ hostTools: ["pin", "context_pin"] });

    const call = await connection.modelCall({ messages: hello });

    expect([connection.tools, call, notices]).toEqual([[], undefined, []]);
    expect(await connection.systemPrompt("Be kind.")).toBe("Be kind.");
    expect((await (await connection.session()).status()).turnCount).toBe(1);
  });

  it("change the session, and give the details for the host's record", async () => {
    const { connection } = await testConnection({
      files: { "/work/a.txt": "text\n" },
      hostTools: [],
    });
    const read = connection.tools.find(({ name }) => name === "read");

    const answer = await read?.run({ path: "a.txt" }, "call_1");

    expect(answer).toMatchObject({ isError: false, details: { self_context_manager: {} } });
    expect(answer?.text).toContain("text");
    expect((await (await connection.session()).status()).objects).toHaveLength(1);
  });

  it("refuse a call with the reason when the context manager fails, and the host continues", async () => {
    const { connection, fail } = await testConnection();
    await connection.modelCall({ messages: hello });
    fail(busy);
    const pin = connection.tools.find(({ name }) => name === "pin");

    const answer = await pin?.run({ id: "f1" }, "call_1");

    expect(answer).toEqual({
      text: "pin did not run, because the context manager failed. Another process writes to the store.",
      isError: true,
      details: {},
    });
  });
});

describe("a tool of the host", () => {
  it("that reads, writes or names files is recorded", async () => {
    const { connection, files } = await testConnection({ files: { "/work/a.txt": "text\n" } });
    await connection.beginTool(written("n.md"));
    files.set("/work/n.md", "new\n");

    await connection.endTool(written("n.md"), {});
    const named = { id: "call_2", name: "bash", args: { command: "wc a.txt" } };
    await connection.endTool(named, { text: "1 a.txt" });

    const { objects } = await (await connection.session()).status();
    expect(objects.map(({ stored }) => stored.body["path"])).toEqual(["/work/n.md", "/work/a.txt"]);
  });

  it("does not run if it would write a stand-in, and then holds nothing", async () => {
    const { connection, held } = await testConnection();
    const args = { path: "n.md", content: "[4000 characters, now in f1 v1]" };

    const reason = await connection.beginTool({ id: "call_1", name: "write", args });

    expect(reason).toContain("The call did not run");
    expect(held()).toEqual([]);
  });

  it("holds the file that it writes until its end", async () => {
    const { connection, held } = await testConnection();
    await connection.beginTool(written("a.md"));
    const during = [...held()];

    await connection.endTool(written("a.md"), {});

    expect([during, held()]).toEqual([["/work/a.md"], []]);
  });

  it("holds nothing if it ends while it begins", async () => {
    const { connection, held } = await testConnection();
    await connection.session();
    const begins = connection.beginTool(written("a.md"));
    for (let turn = 0; turn < 12; turn += 1) await connection.endTools();
    await begins;

    await connection.endTools();

    expect(held()).toEqual([]);
  });

  it("holds nothing after its end if another call has the same id", async () => {
    const { connection, held } = await testConnection();
    await connection.beginTool(written("a.md"));
    await connection.beginTool(written("b.md"));

    await connection.endTools(["call_1"]);

    expect(held()).toEqual([]);
  });

  it("holds nothing if it is a command, also one that writes a file", async () => {
    const { connection, held } = await testConnection();
    const command = "cat > a.md <<'EOF'\nnew\nEOF";

    await connection.beginTool({ id: "call_1", name: "bash", args: { command } });

    expect(held()).toEqual([]);
  });

  it("holds nothing after its end if its write could not be recorded", async () => {
    const { connection, held, fail } = await testConnection();
    await connection.beginTool(written("a.md"));
    fail(busy);

    await connection.endTool(written("a.md"), {});

    expect(held()).toEqual([]);
  });

  it("that ended without a report holds nothing when the run ends", async () => {
    const { connection, held } = await testConnection();
    for (const id of ["call_1", "call_2", "call_3"])
      await connection.beginTool(written(`${id}.md`, id));

    await connection.endTools(["call_1"]);
    const left = [...held()];
    await connection.endTools();

    expect([left, held()]).toEqual([["/work/call_2.md", "/work/call_3.md"], []]);
  });

  it("that ran while the store did not work is recorded by the next model call", async () => {
    const { connection, fail } = await testConnection({ files: { "/work/n.md": "new\n" } });
    await connection.modelCall({ messages: hello });
    fail(busy);
    await connection.modelCall({ messages: hello });
    await connection.endTool(written("n.md"), {});
    await connection.modelCall({ messages: hello });
    fail();

    await connection.modelCall({ messages: hello });

    const { objects } = await (await connection.session()).status();
    expect(objects.map(({ stored }) => stored.body["path"])).toEqual(["/work/n.md"]);
  });

  it("runs while the store does not work, except to write a stand-in that was shown", async () => {
    const { connection, fail, notices } = await testConnection();
    await connection.modelCall({ messages: hello });
    fail(busy);
    await connection.modelCall({ messages: hello });

    expect(await connection.beginTool(written("a.md"))).toBeUndefined();
    expect(notices).toHaveLength(1);
  });

  it("with the name of a context tool is not recorded twice", async () => {
    const { connection, held } = await testConnection({ hostTools: [] });

    expect(
      await connection.beginTool({ id: "c", name: "pin", args: { id: "f1" } }),
    ).toBeUndefined();
    await connection.endTool({ id: "c", name: "read", args: { path: "a.txt" } }, {});

    expect(held()).toEqual([]);
  });
});

describe("a chat that is only recorded", () => {
  it("has a notice for each failure that was over in between, and holds writes again", async () => {
    const { connection, notices, fail, held } = await testConnection();
    const history = scriptHistory();
    for (const error of [busy, undefined, busy, undefined]) {
      fail(error);
      history.user("more");
      await connection.ingest(history.messages);
    }
    await connection.beginTool(written("a.md"));

    expect([notices.length, held().length]).toEqual([2, 1]);
  });
});

describe("the session of a connection", () => {
  it("is opened once for operations at the same time", async () => {
    const { connection, opened } = await testConnection();

    await Promise.all([
      connection.modelCall({ messages: hello }),
      connection.systemPrompt("Be kind."),
      connection.session(),
    ]);

    expect(opened()).toBe(1);
  });

  it("is opened again by the next operation if it could not be opened", async () => {
    const { connection, opened, fail } = await testConnection();
    fail(busy);
    await expect(connection.session()).rejects.toThrow("another process");
    fail();

    const call = await connection.modelCall({ messages: hello });

    expect([opened(), call === undefined]).toEqual([2, false]);
  });

  it("is opened again in the same call when its store was lost, with the whole list", async () => {
    const { connection, opened, closed, notices, lose } = await testConnection();
    await connection.modelCall({ messages: hello });
    lose();

    const calls = await Promise.all([
      connection.modelCall({ messages: [...hello, prompt("more", 2)] }),
      connection.refused("overloaded"),
    ]);

    expect(textsOf(calls[0]).join("\n")).toMatch(/hello[^]*more/u);
    expect([opened(), closed()]).toEqual([2, 1]);
    expect(notices).toEqual([
      expect.stringMatching(/^self-context-manager: The store is gone\. A new store was begun/u),
    ]);
  });

  it("records a tool that ran after a loss behind the history of the host", async () => {
    const { connection, lose } = await testConnection({ files: { "/work/n.md": "new\n" } });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "make" }, "made");
    await connection.modelCall({ messages: history.messages });
    lose();
    const pin = connection.tools.find(({ name }) => name === "pin");

    await connection.endTool(written("n.md"), {});
    const refused = await pin?.run({ id: "t1" }, "call_9");
    await connection.modelCall({ messages: history.messages });

    const { objects } = await (await connection.session()).status();
    expect(refused?.text).toContain("try again");
    expect(objects.map(({ handle }) => handle)).toEqual(["t1", "f1"]);
  });

  it("is opened again in the same call after it was closed elsewhere, without a notice", async () => {
    let opened = 0;
    const { connection, notices } = await testConnection({
      changed: (session) => {
        opened += 1;
        return opened > 1 ? session : { ...session, ingestAndView: closed };
      },
    });

    const call = await connection.modelCall({ messages: hello });

    expect(textsOf(call).join("\n")).toContain("hello");
    expect([opened, notices]).toEqual([2, []]);
  });

  it("is disposed of with the connection, once, and holds end", async () => {
    const { connection, closed, held, notices } = await testConnection();
    await connection.beginTool(written("a.md"));

    await connection[Symbol.asyncDispose]();
    await connection[Symbol.asyncDispose]();

    expect([closed(), held(), notices]).toEqual([1, [], []]);
  });

  it("is not opened again after that: the host's own messages are sent, and nothing is reported", async () => {
    const { connection, opened, notices } = await testConnection();
    await connection[Symbol.asyncDispose]();

    const call = await connection.modelCall({ messages: hello });
    await connection.ingest(hello);
    await connection.endTool(written("a.md"), {});

    expect([call, opened(), notices]).toEqual([undefined, 0, []]);
    await expect(connection.session()).rejects.toThrow("connection is closed");
  });

  it("that is still being opened is disposed of too", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { connection, closed } = await testConnection({ opening: async () => await promise });
    const call = connection.modelCall({ messages: hello });
    const disposing = connection[Symbol.asyncDispose]();
    resolve();

    await disposing;
    await call;

    expect(closed()).toBe(1);
  });

  it("that could not be opened before the end of the connection is no failure", async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    const { connection, notices } = await testConnection({ opening: async () => await promise });
    const call = connection.modelCall({ messages: hello });
    const disposing = connection[Symbol.asyncDispose]();
    reject(busy);

    await disposing;

    expect([await call, notices]).toEqual([undefined, []]);
  });

  it("ingests messages after the last answer", async () => {
    const { connection } = await testConnection();

    await connection.ingest([...hello, prompt("bye", 2)]);

    expect((await (await connection.session()).status()).turnCount).toBe(2);
  });

  it("gives one notice if another process has it open too", async () => {
    const { connection, notices } = await testConnection({
      changed: (session) =>
        Object.defineProperty(Object.create(session) as typeof session, "isShared", {
          value: true,
        }),
    });

    await connection.modelCall({ messages: hello });
    await connection.modelCall({ messages: hello });

    expect(notices).toEqual([expect.stringContaining("another process has this session open too")]);
  });

  it.each([
    ["shows no year of 1970 to 2200", Date.UTC(2201, 0, 1), "a year before 1970 or after 2200"],
    ["is set back by more than a day", 0, "was set back by more than a day"],
  ])("continues and gives one notice if the clock %s", async (_, later, text) => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => now, wait: async () => await new Promise(() => {}) };
    const { connection, notices } = await testConnection({ host: { clock } });
    await connection.modelCall({ messages: hello });
    expect(notices).toEqual([]);
    now = later;

    await connection.modelCall({ messages: hello });
    const call = await connection.modelCall({ messages: hello });

    expect(textsOf(call).join("\n")).toContain("hello");
    expect(notices).toEqual([expect.stringContaining(text)]);
  });

  it("gives one notice if its history began on another store", async () => {
    const { connection, notices } = await testConnection({
      changed: (session) =>
        Object.defineProperty(Object.create(session) as typeof session, "isFromOtherStore", {
          value: true,
        }),
    });

    await connection.modelCall({ messages: hello });
    await connection.modelCall({ messages: hello });

    expect(notices).toEqual([expect.stringContaining("another store")]);
  });
});
