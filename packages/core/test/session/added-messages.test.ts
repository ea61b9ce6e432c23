import { describe, expect, it, test } from "vitest";
import type { Block, Message } from "../../src/chat/message.ts";
import type { ReadList } from "../../src/host/read-list.ts";
import { rebuildView } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { Layout } from "../../src/view/layout.ts";
import { readMarked } from "../host/read-marked.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, testHost, type TestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

/** Messages of role `opaque` with this kind are added to one request. */
const reminderKind = "reminder";

/** The tool of calls and results that are added to one request. */
const exampleTool = "example";

const read = (messages: readonly Message[]): ReadList => readMarked(messages, "added", isAdded);

function isAdded(message: Message): boolean {
  if (message.role === "opaque") return message.kind === reminderKind;
  if (message.role === "assistant") return message.meta?.["provider"] === exampleTool;
  return message.role === "toolResult" && message.toolName === exampleTool;
}

const reminder = (text: string): Message => ({ role: "opaque", kind: reminderKind, raw: { text } });

/** Returns an answer that calls a tool, with its result. */
function example(said: string, result: string): readonly Message[] {
  const call = { type: "toolCall", id: "example_1", name: exampleTool, arguments: {} };
  const text = (words: string): Block => ({ type: "text", text: words });
  return [
    { role: "assistant", content: [text(said), call], meta: { provider: exampleTool } },
    {
      role: "toolResult",
      toolCallId: "example_1",
      toolName: exampleTool,
      content: [text(result)],
      isError: false,
    },
  ];
}

describe("a message that another extension adds to one request", () => {
  it("is shown where it is, and only in this request", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, "a.txt\n");

    const first = await viewWith(session, history, [[1, reminder("one")]]);
    history.say("done");
    history.user("and now");
    const second = await viewWith(session, history, [[5, reminder("two")]]);

    expect(first).toEqual(["go on", '{"text":"one"}', "", "a.txt\n"]);
    expect(second).toEqual(["go on", "", "a.txt\n", "done", "and now", '{"text":"two"}']);
  });

  it("never separates a call from its results", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, "a.txt\n");

    const texts = await viewWith(session, history, [
      [2, reminder("one")],
      [3, reminder("two")],
    ]);

    expect(texts).toEqual(["go on", "", "a.txt\n", '{"text":"one"}', '{"text":"two"}']);
  });

  it("can be an answer with its result, which nothing separates", async () => {
    const { session, history } = await openChat();
    const callId = history.call("read", { path: "a.txt" }, "one\n");
    await session.recordRead("a.txt", { callId });
    await viewWith(session, history, []);
    await session.name("f1", "plan");

    const first = await viewWith(session, history, atIndex(3, example("look", "seen")));
    history.say("done");
    const second = await viewWith(session, history, atIndex(3, example("look again", "seen")));

    expect(first.slice(-3)).toEqual(["[f1 a.txt (plan) 4 v2]", "look\n", "seen"]);
    expect(second.slice(-4, -1)).toEqual(["look again\n", "seen", "[f1 a.txt (plan) 4 v2]"]);
  });

  it("is not shown by the pooled layout if it is an answer with a place of its own", async () => {
    const { session, history } = await openChat(pooledLayout);
    history.say("done");
    const added = [reminder("ask"), ...example("look", "seen")];

    const inside = await viewWith(session, history, atIndex(1, added));
    const atEnd = await viewWith(session, history, atIndex(2, added));

    expect(inside).toEqual(["go on", "done"]);
    expect(atEnd).toEqual(["go on", "done", '{"text":"ask"}', "look\n", "seen"]);
  });

  it.each(["at once", "after a resume"])(
    "stays where it was if it is added again (%s)",
    async (when) => {
      const opened = await openChat();
      const { history } = opened;
      const callId = history.call("read", { path: "a.txt" }, "one\n");
      await opened.session.recordRead("a.txt", { callId });
      await viewWith(opened.session, history, []);
      history.say("done");
      history.user("and now");
      await opened.session.name("f1", "plan");

      const first = await viewWith(opened.session, history, [[5, reminder("same")]]);
      history.say("done again");
      const session = when === "at once" ? opened.session : await opened.reopen();
      const second = await viewWith(session, history, [[5, reminder("same")]]);

      expect(first.slice(-3)).toEqual(["and now", "[f1 a.txt (plan) 4 v2]", '{"text":"same"}']);
      expect(second).toEqual([...first, "done again"]);
    },
  );

  it("stays in the order of the list beside one that was there before", async () => {
    const opened = await openChat();
    const { history, session } = opened;
    const callId = history.call("read", { path: "a.txt" }, "one\n");
    await session.recordRead("a.txt", { callId });
    await session.name("f1", "plan");
    await viewWith(session, history, [[3, reminder("a")]]);
    history.say("done");

    const texts = await viewWith(session, history, [
      [3, reminder("a")],
      [3, reminder("b")],
    ]);

    expect(texts.slice(-3)).toEqual(['{"text":"a"}', '{"text":"b"}', "done"]);
  });

  it.each([
    ["has the thinking behind it if it stays", "same", true],
    ["has no thinking behind it if it changes", "other", false],
  ])("%s, for a model that binds its thinking", async (_, text, isKept) => {
    const { session, history } = await openChat();
    const options = { thinking: "bound", head: "h" } as const;
    await session.ingestAndView(read([...history.messages, reminder("same")]), options);
    const thought = { type: "thinking", thinking: "hm", thinkingSignature: "s1" };
    const content = [thought, { type: "text", text: "so" }];
    history.push({ role: "assistant", content, meta: {}, timestamp: 9e12 });
    const list = [...history.messages];
    list.splice(1, 0, reminder(text));

    const next = await session.ingestAndView(read(list), options);
    const again = await session.ingestAndView(read(list), options);

    expect(JSON.stringify(next.messages).includes("thinkingSignature")).toBe(isKept);
    expect(again.messages).toEqual(next.messages);
  });

  it("is not taken into the chat", async () => {
    const { session, history } = await openChat();
    await viewWith(session, history, [[1, reminder("one")]]);

    expect(await session.ingest(read(history.messages))).toMatchObject({ added: 0 });
    expect((await session.peekView()).messages.map(textOfMessage)).toEqual(["go on"]);
  });

  it("counts in the tokens and in the budget of the view", async () => {
    const { session, history } = await openChat();
    const long = reminder("word ".repeat(2_000));

    const plain = await session.ingestAndView(read(history.messages), {});
    const added = await session.ingestAndView(read([...history.messages, long]), {});
    history.user(`again ${"and ".repeat(1_500)}`);
    const bounded = await session.ingestAndView(read([...history.messages, long]), {
      contextWindow: 4_000,
      reserve: 0,
    });

    expect(added.tokens.chat).toBeGreaterThan(plain.tokens.chat + 1_500);
    expect(bounded.tokens.chat).toBeLessThan(4_000);
  });

  test.each<[string, Layout]>([
    ["epoch", epochLayout()],
    ["pooled", pooledLayout],
  ])("is in the stored view of the %s layout", async (_, layout) => {
    const opened = await openChat(layout);
    const list = [...opened.history.messages, reminder("one")];
    const { call, messages } = await opened.session.ingestAndView(read(list), {});

    const rebuilt = await rebuildView(opened.store, [layout], testHost, call);

    expect(rebuilt?.messages).toEqual(messages);
    expect(rebuilt?.isVerified).toBe(true);
  });
});

async function openChat(
  layout: Layout = epochLayout(),
): Promise<TestSession & { readonly history: ScriptedHistory }> {
  const opened = await openTestSession({ layout, files: { "/work/a.txt": "one\n" } });
  const history = scriptHistory();
  history.user("go on");
  return { ...opened, history };
}

/** Places messages before an index of a history. */
function atIndex(
  index: number,
  messages: readonly Message[],
): readonly (readonly [number, Message])[] {
  return messages.map((message) => [index, message]);
}

/** Returns the texts of the view of a history with messages added before some indexes. */
async function viewWith(
  session: ContextSession,
  { messages }: ScriptedHistory,
  added: readonly (readonly [number, Message])[],
): Promise<readonly string[]> {
  const list = [...messages];
  for (const [index, message] of added.toReversed()) list.splice(index, 0, message);
  const view = await session.ingestAndView(read(list), {});
  return view.messages.map(textOfMessage);
}
