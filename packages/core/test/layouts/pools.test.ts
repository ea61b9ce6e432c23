import { describe, expect, it } from "vitest";
import { windowPolicy } from "../../src/policy/window-policy.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession, type TestSessionOptions } from "../session/test-session.ts";
import { handlesIn, textOfMessage, viewParts } from "../session/view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/b.md": "# b\n", "/work/logo.png": null };

describe("the three pools", () => {
  it("are in the order of the specification: metadata, chat, active content", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "ls" }, "a.ts\nb.md");
    await history.ingest(session);
    await session.read({ path: "a.ts" });

    const { messages } = await session.nextView();

    expect(messages.map(textOfMessage)).toEqual([
      "Known objects: handle, name, type of a file, size in characters. The last line of a handle is current. (activate HANDLE shows one's content)\n" +
        't1 bash "ls" 9\nf1 a.ts typescript 11',
      "go",
      "",
      "[t1 ok, 9 chars]",
      't1 bash "ls"\n~~~\na.ts\nb.md\n~~~\nf1 a.ts v1\n~~~\nlet a = 1;\n~~~\nActive: t1 f1.',
    ]);
  });

  it("list every known object once in the metadata pool, in order of joining", async () => {
    const { session } = await openTestSession({ files });
    await session.recordNamed(["a.ts", "b.md", "logo.png"]);
    await session.read({ path: "b.md" });
    await session.read({ path: "logo.png" });

    const { pool } = await viewParts(session);

    expect(pool).toEqual([
      "f1 a.ts typescript unread 11B",
      "f2 b.md markdown 4 v2",
      "f3 logo.png binary not text 7B",
    ]);
  });

  it("keep the lines of the list when a file changes, also in a session that is opened again", async () => {
    const opened = await openTestSession({ files });
    await opened.session.recordNamed(["a.ts", "b.md"]);
    await opened.session.nextView();
    await opened.session.read({ path: "a.ts" });
    const here = (await viewParts(opened.session)).pool;

    const session = await opened.reopen();
    await session.name("b.md", "plan");
    const { pool } = await viewParts(session);

    expect(here).toEqual([
      "f1 a.ts typescript unread 11B",
      "f2 b.md markdown unread 4B",
      "f1 a.ts typescript 11 v2",
    ]);
    expect(pool).toEqual([...here, "f2 b.md (plan) markdown unread 4B"]);
  });

  it("show a reference line instead of each output in the chat, never the output", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "cat x" }, "SECRET OUTPUT");
    history.call("bash", { command: "false" }, "FAILED OUTPUT", { isError: true });
    await history.ingest(session);

    const { chat, activeTexts } = await viewParts(session);

    expect(chat.filter(({ role }) => role === "toolResult").map(textOfMessage)).toEqual([
      "[t1 ok, 13 chars]",
      "[t2 failed, 13 chars]",
    ]);
    expect(JSON.stringify(chat)).not.toContain("OUTPUT");
    expect(activeTexts.join()).toContain("SECRET OUTPUT");
  });

  it("show the model at their end which objects are active and pinned (D44)", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("b.md");
    await session.recordNamed(["b.md"]);
    await session.read({ path: "b.md" });
    await session.pin("f2");

    const { activeTexts } = await viewParts(session);

    expect(activeTexts.at(-1)).toBe("Active: f1 f2. Pinned: f2.");
  });
});

/** Opens a session with one call in its first turn. */
async function afterOneCall(options: TestSessionOptions = {}) {
  const { session } = await openTestSession(options);
  const history = scriptHistory();
  history.user("go");
  history.call("bash", { command: "a" }, "A");
  await history.ingest(session);
  return { session, history };
}

describe("recent tool calls", () => {
  it("are active by default, the last 5 of the turn", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    for (let call = 1; call <= 7; call += 1) history.call("bash", { call }, `output ${call}`);
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(["t3", "t4", "t5", "t6", "t7"]);
    expect((await viewParts(session)).pool).toHaveLength(7);
  });

  it("become inactive after 3 turns, and their lines stay", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    for (let turn = 1; turn <= 4; turn += 1) {
      history.user(`turn ${turn}`);
      history.call("bash", { turn }, `output ${turn}`);
    }
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(["t2", "t3", "t4"]);
    expect((await viewParts(session)).activeTexts.join()).not.toContain("output 1");
  });

  it("are counted without calls of the context tools (D37)", async () => {
    const { session, history } = await afterOneCall({ files });
    for (let time = 0; time < 8; time += 1) {
      await history.read(session, "a.ts");
      await history.ingest(session);
    }

    expect(await handlesIn(session, "active")).toEqual(["t1", "f1"]);
  });

  it("stay active while they are pinned, and follow the policy again after unpin", async () => {
    const { session, history } = await afterOneCall({
      policy: windowPolicy({ calls: 1, turns: 1 }),
    });
    await session.pin("t1");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    expect(await handlesIn(session, "pinned")).toEqual(["t1"]);

    await session.unpin("t1");
    history.call("bash", { command: "c" }, "C");
    await history.ingest(session);

    expect(await handlesIn(session, "pinned", "active")).toEqual(["t3"]);
  });

  it("never become active again by the policy after they were deactivated", async () => {
    const { session, history } = await afterOneCall();
    await session.deactivate("t1");
    history.say("ok");
    history.user("more");
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual([]);
  });
});
