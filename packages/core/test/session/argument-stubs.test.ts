import { describe, expect, it } from "vitest";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { View } from "../../src/session/view-options.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

type Args = Readonly<Record<string, string>>;

const alpha = "ALPHA words and some more words of it\n".repeat(120);
const beta = "BETA words that are other words\n".repeat(120);
const gamma = "GAMMA words of a third kind\n".repeat(120);

describe("the argument stubs of a file that was changed several times", () => {
  it("each name the version that holds the text", async () => {
    const opened = await openWriting();
    await opened.write({ path: "b.txt", content: alpha });
    await opened.write({ path: "b.txt", content: beta });

    const view = await opened.viewAfterPause();

    expect(argumentsIn(view, "call_1")).toMatchObject({ content: stub(alpha, 1) });
    expect(argumentsIn(view, "call_2")).toMatchObject({ content: stub(beta, 2) });
    expect((await opened.session.activate("f1@1")).text).toContain(alpha);
  });

  it("name the version before for the text that an edit replaced", async () => {
    const opened = await openWriting();
    await opened.write({ path: "b.txt", content: alpha });
    await opened.edit({ path: "b.txt", oldText: alpha, newText: beta }, beta);

    expect(argumentsIn(await opened.viewAfterPause(), "call_2")).toEqual({
      path: "b.txt",
      oldText: stub(alpha, 1),
      newText: stub(beta, 2),
    });
  });

  it("name no version for a replaced text that the version before does not have", async () => {
    const opened = await openWriting();
    await opened.write({ path: "b.txt", content: alpha });
    // The edit finds a text that another program wrote meanwhile, and that no version holds.
    await opened.edit({ path: "b.txt", oldText: gamma, newText: beta }, beta);

    const content = `[${gamma.length} characters left out]`;
    expect(
      await opened.session.checkArguments("write", { path: "b.txt", content }),
    ).toBeUndefined();
    expect(argumentsIn(await opened.viewAfterPause(), "call_2")).toEqual({
      path: "b.txt",
      oldText: content,
      newText: stub(beta, 2),
    });
    expect(await opened.session.checkArguments("write", { path: "b.txt", content })).toBeDefined();
  });

  it("name no version for a text that the file does not have", async () => {
    const opened = await openWriting();
    await opened.write({ path: "b.txt", content: alpha, comment: gamma });

    expect(argumentsIn(await opened.viewAfterPause(), "call_1")).toMatchObject({
      content: `[${alpha.length} characters left out]`,
    });
  });

  it("name the version of a text that the file has with its own line ends", async () => {
    const opened = await openWriting();
    await opened.write({ path: "b.txt", content: "one\r\n" });
    const withReturns = `\u{FEFF}${alpha.replaceAll("\n", "\r\n")}`;
    await opened.edit({ path: "b.txt", newText: alpha, content: withReturns }, withReturns);

    expect(argumentsIn(await opened.viewAfterPause(), "call_2")).toMatchObject({
      newText: stub(alpha, 2),
    });
  });

  it("name the version before for the text that an edit replaced, if only this text leaves", async () => {
    const opened = await openWriting();
    const [one, other] = [alpha.slice(0, 150), beta.slice(0, 130)];
    await opened.write({ path: "a.txt", content: alpha });
    await opened.write({ path: "b.txt", content: `${one}end\n` });
    await opened.edit({ path: "b.txt", oldText: one, newText: other }, `${other}end\n`);
    // The edit finds a text that another program wrote meanwhile, and that no version holds.
    await opened.edit({ path: "b.txt", oldText: gamma.slice(0, 125), newText: one }, one);

    const view = await opened.viewAfterPause();
    expect(argumentsIn(view, "call_3")).toMatchObject({
      oldText: stub(one, 1, "f2"),
      newText: other,
    });
    expect(argumentsIn(view, "call_4")).toMatchObject({
      oldText: "[125 characters left out]",
      newText: one,
    });
    const again = await opened.reopen();
    await opened.history.ingest(again);
    expect((await again.nextView()).messages).toEqual(view.messages);
  });

  it("stay as they were sent when the file changes again, and after a restart", async () => {
    const opened = await openWriting();
    await opened.write({ path: "b.txt", content: alpha });
    const sent = argumentsIn(await opened.viewAfterPause(), "call_1");
    await opened.write({ path: "b.txt", content: beta });
    await opened.view();

    const later = await opened.viewAfterPause();
    const again = await opened.reopen();
    await opened.history.ingest(again);

    expect(argumentsIn(later, "call_1")).toEqual(sent);
    expect((await again.nextView()).messages).toEqual(later.messages);
  });

  it("are the same if the session is opened again before the epoch ends", async () => {
    const views: View[] = [];
    for (const isReopened of [false, true]) {
      const opened = await openWriting();
      await opened.write({ path: "b.txt", content: alpha });
      await opened.edit({ path: "b.txt", oldText: alpha, newText: beta }, beta);
      await opened.view();
      views.push(await opened.viewAfterPause(isReopened ? await opened.reopen() : opened.session));
    }

    expect(views[1]?.messages).toEqual(views[0]?.messages);
    expect(argumentsIn(views[1] as View, "call_1")).toMatchObject({ content: stub(alpha, 1) });
  });
});

describe("a command of which the view shows only the beginning", () => {
  it("does not run again with the mark in it", async () => {
    const opened = await openWriting();
    const command = "echo some words of a long command\n".repeat(80);
    await opened.write({ path: "b.txt", content: alpha });
    const id = opened.history.call("bash", { command }, "done", { id: "long" });
    await opened.view();
    expect(await opened.session.checkArguments("bash", { command })).toBeUndefined();

    const shown = argumentsIn(await opened.viewAfterPause(), id) as { readonly command: string };
    expect(shown.command).toBe(
      `${command.slice(0, 200)}\n[${command.length - 200} characters left out]`,
    );
    expect(await opened.session.checkArguments("bash", { ...shown })).toMatch(
      /^The call did not run, because an argument contains "\[2520 characters left out\]"/u,
    );
    expect(await opened.session.checkArguments("bash", { command })).toBeUndefined();
  });
});

describe("a patch of which the view does not show the removed lines", () => {
  it("does not run again with the mark in it", async () => {
    const opened = await openWriting();
    const lines = Array.from({ length: 8 }, (_, n) => `-old line ${n} of the file`).join("\n");
    const patch = `*** Begin Patch\n*** Update File: b.txt\n${lines}\n+new\n*** End Patch`;
    await opened.write({ path: "b.txt", content: alpha });
    await opened.edit({ path: "b.txt", input: patch }, "new\n");

    const shown = argumentsIn(await opened.viewAfterPause(), "call_2") as {
      readonly input: string;
    };
    expect(shown.input).toBe(patch.replace(lines, `[${lines.length} characters left out]`));
    for (const [tool, args] of [
      ["apply_patch", { input: shown.input }],
      ["bash", { command: `apply_patch <<'EOF'\n${shown.input}\nEOF` }],
    ] as const)
      expect(await opened.session.checkArguments(tool, args)).toMatch(/^The call did not run/u);
  });
});

interface Writing extends TestSession {
  readonly history: ScriptedHistory;
  /** The model writes a file by `write`. */
  write(args: Args): Promise<void>;
  /** The model changes a file by `edit`, after which the file has this text. */
  edit(args: Args, text: string): Promise<void>;
  view(): Promise<View>;
  /** Returns a view after much other work and a pause, from which old arguments have left. */
  viewAfterPause(session?: ContextSession): Promise<View>;
}

async function openWriting(): Promise<Writing> {
  const clock = { time: 0, now: (): number => clock.time };
  const opened = await openTestSession({
    layout: epochLayout({ folds: undefined }),
    policy: recentlyUsedPolicy(),
    activateUnread: "ask",
    clock,
  });
  const { session, files } = opened;
  const history = scriptHistory();
  history.user("go");
  let calls = 0;
  const change = async (tool: string, args: Args, text: string): Promise<void> => {
    calls += 1;
    const id = `call_${calls}`;
    files.set(`/work/${args["path"]}`, text);
    await session.recordWrite(args["path"] ?? "", { callId: id, args });
    history.call(tool, args, "done", { id });
    await history.ingest(session);
  };
  return {
    ...opened,
    history,
    write: async (args) => await change("write", args, args["content"] ?? ""),
    edit: async (args, text) => await change("edit", args, text),
    view: async () => await session.nextView(),
    viewAfterPause: async (by = session) => {
      for (let index = 0; index < 60; index += 1)
        history.call("bash", { command: `echo ${index}` }, `out ${index}\n`.repeat(80), {
          id: `${clock.time} ${index}`,
        });
      history.say("ok");
      history.user("more");
      await history.ingest(by);
      await by.nextView();
      clock.time += 24 * 3_600_000;
      return await by.nextView();
    },
  };
}

function argumentsIn({ messages }: View, id: string): unknown {
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const call = message.content.find((block) => block.type === "toolCall" && block["id"] === id);
    if (call !== undefined) return call["arguments"];
  }
  return undefined;
}

function stub(text: string, version: number, file = "f1"): string {
  return `[${text.length} characters, now in ${file} v${version}]`;
}
