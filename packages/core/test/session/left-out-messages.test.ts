import { describe, expect, it, test } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { type ReadList, readList } from "../../src/host/read-list.ts";
import { rebuildView } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { readMarked } from "../host/read-marked.ts";
import { late, prompt, userSummary } from "../history/host-messages.ts";
import { missingMessages } from "../../src/lines/notices.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { ReadRequest } from "../../src/session/read-file.ts";
import type { Layout } from "../../src/view/layout.ts";
import { numberedLines } from "./fake-files.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, plainCodec, testHost, type TestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

/** Reads the messages of a chat, some of which are left out of this request. */
function without(
  { messages }: ScriptedHistory,
  ...leftOut: readonly (Message | undefined)[]
): ReadList {
  return readMarked(messages, "left-out", (message) => leftOut.includes(message));
}

const long = (name: string): string => `${name} said this\n`.repeat(60);

describe("a message that another extension leaves out of a request", () => {
  it("is not shown, and is shown again when it is back", async () => {
    const { session, history } = await openChat();
    history.say("done");
    history.user("and now");
    const all = await viewWithout(session, history);

    const shorter = await viewWithout(session, history, history.messages[0], history.messages[1]);
    const again = await viewWithout(session, history);

    expect(all).toEqual(["go on", "done", "and now"]);
    expect(shorter).toEqual(["and now"]);
    expect(again).toEqual(all);
  });

  it("is at its place when it is back, also if no request had it", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, "a.txt\n");
    await viewWithout(session, history);
    history.say("done");
    history.user("and now");
    const first = await viewWithout(session, history, ...history.messages.slice(0, 4));
    history.say("done again");
    history.user("and then");

    const again = await viewWithout(session, history);

    expect(first).toEqual(["and now"]);
    expect(again).toEqual(["go on", "", "a.txt\n", "done", "and now", "done again", "and then"]);
  });

  it.each(["at once", "after a resume"])(
    "is at its place in each request when it is back, if the session began without it (%s)",
    async (when) => {
      const opened = await openChat();
      const { history } = opened;
      history.call("bash", { command: "ls" }, "a.txt\n");
      history.say("done");
      history.user("and now");
      const leftOut = history.messages.slice(0, 4);
      const first = await viewWithout(opened.session, history, ...leftOut);
      history.say("done again");
      const session = when === "at once" ? opened.session : await opened.reopen();
      const second = await viewWithout(session, history);
      history.user("and then");

      const third = await viewWithout(session, history);

      expect(first).toEqual(["and now"]);
      const start = missingMessages.user.write();
      expect(second).toEqual(["go on", start, "", "a.txt\n", "done", "and now", "done again"]);
      expect(third).toEqual([...second, "and then"]);
    },
  );

  it("of which the session did not know it lets a later summary replace the chat", async () => {
    const { session, history } = await openChat();
    history.user("second");
    await viewWithout(session, history, history.messages[0]);
    history.say("done");
    history.user("third");
    await viewWithout(session, history, history.messages[0]);
    history.say("done again");
    const kept = history.messages.slice(-2);
    const list = [userSummary("the summary", late), ...kept, prompt("fourth", late + 1)];

    const { messages } = await session.ingestAndView(readList(list, plainCodec), {});

    expect(messages.map(textOfMessage)).toEqual(['"the summary"', "third", "done again", "fourth"]);
  });

  it("that no request had takes the thinking behind it with it when it is back", async () => {
    const { session, history } = await openChat();
    const options = { thinking: "bound", head: "h" } as const;
    history.user("second");
    await session.ingestAndView(without(history, history.messages[0]), options);
    const thought = { type: "thinking", thinking: "hm", thinkingSignature: "s1" };
    const content = [thought, { type: "text", text: "so" }];
    history.push({ role: "assistant", content, meta: {}, timestamp: 9e12 });
    history.user("third");
    const list = without(history, history.messages[0]);
    const shorter = await session.ingestAndView(list, options);

    const whole = await session.ingestAndView(readList(history.messages, plainCodec), options);

    expect(JSON.stringify(shorter.messages)).toContain("thinkingSignature");
    expect(JSON.stringify(whole.messages)).not.toContain("thinkingSignature");
    expect(whole.messages.map(textOfMessage)).toEqual(["go on", "second", "so", "third"]);
  });

  it("that no request had is not shown by the pooled layout when it is back", async () => {
    const { session, history } = await openChat(pooledLayout);
    history.user("second");
    await viewWithout(session, history, history.messages[0]);
    history.say("done");

    expect(await viewWithout(session, history)).toEqual(["second", "done"]);
  });

  it("brings the lines of a file back, but not what the model has deactivated", async () => {
    const { session, history, files } = await openChat();
    files.set("/work/a.txt", numberedLines(40));
    await readIn(session, history, { path: "a.txt", offset: 2, limit: 2 });
    await readIn(session, history, { path: "a.txt", offset: 30, limit: 2 });
    history.call("bash", { command: "ls" }, long("the command"));
    history.say("done");
    await viewWithout(session, history);
    await session.deactivate("t3");
    history.user("and now");
    await viewWithout(session, history, ...history.messages.slice(1, 7));

    const texts = await viewWithout(session, history);

    expect(texts.join("\n")).toContain("line 2\nline 3\n");
    expect(texts.join("\n")).toContain("line 30\nline 31\n");
    expect(texts.join("\n")).not.toContain("line 4\n");
    expect(texts.join("\n")).not.toContain("the command said this");
  });

  it("takes its results and their contents with it", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, long("the command"));
    history.say("done");
    await viewWithout(session, history);
    history.user("and now");

    const texts = await viewWithout(session, history, history.messages[1], history.messages[2]);

    expect(texts).toEqual(["go on", "done", "and now"]);
  });

  test.each([
    ["is no longer shown", undefined],
    ["is shown by other lines", 30],
  ])(
    "takes with it what a message of the context manager shows of a file that %s",
    async (_, offset) => {
      const { session, history, files } = await openChat();
      files.set("/work/a.txt", numberedLines(40));
      await readIn(session, history, { path: "a.txt", offset: 2, limit: 9 });
      history.say("done");
      await viewWithout(session, history);
      const args = { oldText: "line 5\n", newText: "LINE 5\n" };
      files.set("/work/a.txt", numberedLines(40).replace(args.oldText, args.newText));
      await session.recordWrite("a.txt", { args });
      if (offset !== undefined) await readIn(session, history, { path: "a.txt", offset, limit: 2 });
      history.user("and now");
      const before = await viewWithout(session, history);

      const texts = await viewWithout(session, history, history.messages[1], history.messages[2]);

      expect(before.at(-1)).toContain("line 4\nLINE 5\n");
      expect(texts.join("\n")).not.toContain("line 4");
    },
  );

  it("takes its lines of a file with it that others have changed since", async () => {
    const { session, history, files } = await openChat();
    files.set("/work/a.txt", numberedLines(40));
    await readIn(session, history, { path: "a.txt" });
    await readIn(session, history, { path: "a.txt", offset: 30, limit: 2 });
    history.say("done");
    await viewWithout(session, history);
    files.set("/work/a.txt", numberedLines(2_000));
    await session.recordWrite("a.txt", { args: { content: "another text" } });
    history.user("and now");
    await viewWithout(session, history);

    const texts = await viewWithout(session, history, history.messages[1], history.messages[2]);

    expect(texts.join("\n")).toContain("line 30\n");
    expect(texts.join("\n")).not.toContain("line 4\n");
  });

  it("takes its lines of a file with it that the model has changed since", async () => {
    const { session, history, files } = await openChat();
    files.set("/work/a.txt", numberedLines(40));
    await readIn(session, history, { path: "a.txt" });
    await readIn(session, history, { path: "a.txt", offset: 30, limit: 2 });
    history.say("done");
    await viewWithout(session, history);
    const args = { oldText: "line 5\n", newText: "LINE 5\n" };
    files.set("/work/a.txt", numberedLines(40).replace(args.oldText, args.newText));
    await session.recordWrite("a.txt", { args });
    history.user("and now");
    await viewWithout(session, history);

    const texts = await viewWithout(session, history, history.messages[1], history.messages[2]);

    expect(texts.join("\n")).not.toContain("line 4\n");
  });

  it("takes an earlier version of a file with it that has left its result", async () => {
    const { session, history, files } = await openChat();
    const small = { contextWindow: 2_500 };
    files.set("/work/a.txt", "the first text\n");
    await readIn(session, history, { path: "a.txt" });
    history.say(long("the answer").repeat(8));
    await viewWithout(session, history);
    history.user("and now");
    history.call("show", { name: "page" }, "a page");
    files.set("/work/a.txt", numberedLines(20));
    await session.recordWrite("a.txt", { args: { content: "another text" } });
    const full = await session.ingestAndView(readList(history.messages, plainCodec), small);
    await readIn(session, history, { path: "a.txt", limit: 1 });

    const list = without(history, history.messages[1], history.messages[2]);
    const view = await session.ingestAndView(list, small);

    expect(full.messages.map(textOfMessage).join("\n")).toContain("the first text");
    expect(view.messages.map(textOfMessage).join("\n")).not.toContain("the first text");
  });

  it("takes the text with it that a file had only in it", async () => {
    const { session, history, files } = await openChat();
    files.set("/work/a.txt", numberedLines(40));
    await readIn(session, history, { path: "a.txt" });
    await viewWithout(session, history);
    files.set("/work/a.txt", numberedLines(40).replace("line 5\n", "LINE 5\n"));
    await readIn(session, history, { path: "a.txt" });
    history.say("done");
    await viewWithout(session, history);
    history.user("and now");

    const texts = await viewWithout(session, history, history.messages[3], history.messages[4]);

    expect(texts.join("\n")).not.toContain("LINE 5\n");
  });

  it("is noted as a missing result if only the result is left out", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, long("the command"));
    history.say("done");
    await viewWithout(session, history);
    history.user("and now");

    const texts = await viewWithout(session, history, history.messages[2]);

    expect(texts).toHaveLength(5);
    expect(texts.join("\n")).not.toContain("the command said this");
  });

  it("stays left out after a resume and when the host no longer sends it", async () => {
    const opened = await openChat();
    const { session, history } = opened;
    history.say("done");
    history.user("and now");
    await viewWithout(session, history);
    await viewWithout(session, history, history.messages[1]);
    const shown = async (by: ContextSession): Promise<readonly string[]> =>
      (await by.peekView()).messages.map(textOfMessage);

    expect(await shown(session)).toEqual(["go on", "and now"]);
    expect(await shown(await opened.reopen())).toEqual(["go on", "and now"]);
    await session.ingestAndView(readList(history.messages.slice(2), plainCodec), {});
    expect(await shown(session)).toEqual(["go on", "and now"]);
  });

  it("keeps its place in the history", async () => {
    const { session, history } = await openChat();
    history.say("done");
    await viewWithout(session, history);
    await viewWithout(session, history, history.messages[0]);
    history.user("and now");

    const { type, added } = await session.ingest(without(history, history.messages[0]));
    expect({ type, added }).toEqual({ type: "appended", added: 1 });
    expect(await viewWithout(session, history)).toEqual(["go on", "done", "and now"]);
  });

  it("is not stored if the session does not know it", async () => {
    const { session, history, store } = await openChat();
    history.user("THE SECRET");
    history.user("and now");

    const texts = await viewWithout(session, history, history.messages[1]);

    expect(texts).toEqual(["go on", "and now"]);
    const { chatId } = await session.status();
    expect(JSON.stringify(await store.get(chatId))).not.toContain("THE SECRET");
  });

  it("ends no epoch, and changes only what follows it", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, long("the command"));
    history.user("a mode is on");
    history.say("done");
    await viewWithout(session, history);
    history.user("and now");

    const view = await session.ingestAndView(without(history, history.messages[3]), {});

    expect(view.epoch).toMatchObject({ number: 1, isNew: false });
    expect(view.epoch?.sharedTokens).toBeGreaterThan(100);
    expect(view.epoch?.sharedTokens).toBeLessThan(view.epoch?.promptTokens ?? 0);
  });

  it("comes back with the reason that the epoch ended", async () => {
    const { session, history } = await openChat();
    history.say("done");
    await viewWithout(session, history);
    await viewWithout(session, history, history.messages[0]);

    const view = await session.ingestAndView(readList(history.messages, plainCodec), {});

    expect(view.epoch).toMatchObject({ isNew: true, endedBy: "returned" });
  });

  it("is shown again below if its content is pinned", async () => {
    const { session, history } = await openChat();
    history.call("bash", { command: "ls" }, long("the command"));
    await viewWithout(session, history);
    await session.pin("t1");
    history.user("and now");

    const texts = await viewWithout(session, history, history.messages[1], history.messages[2]);

    expect(texts.filter((text) => text.includes("the command said this"))).toHaveLength(1);
  });

  it("takes the signed thinking behind it with it, if the model binds its thinking", async () => {
    const { session, history } = await openChat();
    const thought = { type: "thinking", thinking: "hm", thinkingSignature: "s1" };
    const shown = async (list: ReadList): Promise<string> => {
      const options = { thinking: "bound", head: "h" } as const;
      return JSON.stringify((await session.ingestAndView(list, options)).messages);
    };
    history.user("and this");
    await shown(without(history));
    history.push({
      role: "assistant",
      content: [thought, { type: "text", text: "so" }],
      meta: {},
      timestamp: 9e12,
    });
    history.user("and now");

    expect(await shown(without(history))).toContain("thinkingSignature");
    expect(await shown(without(history, history.messages[0]))).not.toContain("thinkingSignature");
  });

  test.each<[string, Layout]>([
    ["epoch", epochLayout()],
    ["pooled", pooledLayout],
  ])("is not in the stored view of the %s layout", async (_, layout) => {
    const opened = await openChat(layout);
    const { session, history } = opened;
    history.call("bash", { command: "ls" }, long("the command"));
    history.say("done");
    await viewWithout(session, history);
    history.user("and now");
    const list = without(history, history.messages[1], history.messages[2]);

    const { call, messages } = await session.ingestAndView(list, {});
    const rebuilt = await rebuildView(opened.store, [layout], testHost, call);

    expect(messages.map(textOfMessage).join("\n")).not.toContain("the command said this");
    expect(rebuilt?.messages).toEqual(messages);
    expect(rebuilt?.isVerified).toBe(true);
  });
});

async function openChat(
  layout: Layout = epochLayout(),
): Promise<TestSession & { readonly history: ScriptedHistory }> {
  const opened = await openTestSession({ layout });
  const history = scriptHistory();
  history.user("go on");
  return { ...opened, history };
}

/** The model reads a file by the context tool. */
async function readIn(
  session: ContextSession,
  history: ScriptedHistory,
  request: ReadRequest,
): Promise<void> {
  await history.ask(
    "read",
    { ...request },
    async (callId) => await session.read(request, { callId }),
  );
  await history.ingest(session);
}

/** Returns the texts of the view of a history without some of its messages. */
async function viewWithout(
  session: ContextSession,
  history: ScriptedHistory,
  ...leftOut: readonly (Message | undefined)[]
): Promise<readonly string[]> {
  const view = await session.ingestAndView(without(history, ...leftOut), {});
  return view.messages.map(textOfMessage);
}
