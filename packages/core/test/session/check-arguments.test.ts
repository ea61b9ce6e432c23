import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { hasOwnLine } from "../../src/lines/own-lines.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";

const stub = "[4000 characters, now in f1 v1]";
const mark = "[836 characters not shown; activate f1 shows all, or lines from and to]";
const patch = `*** Begin Patch\n*** Add File: b.ts\n+${stub}\n*** End Patch`;

describe("a call that would write a stand-in into a file", () => {
  it.each<readonly [string, string, JsonObject]>([
    ["alone", "write", { path: "a.ts", content: stub }],
    ["with blanks around it", "write", { path: "a.ts", content: `\n${stub}\n` }],
    ["inside a longer text", "write", { path: "a.ts", content: `// ${stub} and more\n` }],
    ["in a nested argument", "edit", { path: "a.ts", edits: [{ oldText: "x", newText: stub }] }],
    ["in a patch", "apply_patch", { input: patch }],
    ["in a here-document", "bash", { command: `cat > b.ts <<'EOF'\n${stub}\nEOF` }],
    ["in a script for a program", "bash", { command: `python3 - <<'EOF'\nw("${stub}")\nEOF` }],
    ["in a redirected text", "bash", { command: `echo '${stub}' > b.ts` }],
    ["as the command", "bash", { command: stub }],
    ["in a tool that nobody knows", "save_file", { path: "b.ts", body: stub }],
    ["for text that is not shown", "write", { path: "b.ts", content: `head\n${mark}\ntail\n` }],
    ["for a part of the chat", "write", { path: "b.ts", content: mark.replace("f1", "chat") }],
  ])("is refused: %s", async (_, tool, args) => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });

    const reason = await session.checkArguments(tool, args);

    expect(reason).toMatch(/^The call did not run, because an argument contains "\[/u);
    expect(reason).toMatch(/activate (?:f1|f1@1|chat) shows the text/u);
    expect(hasOwnLine(reason ?? "")).toBe(false);
  });

  it.each<readonly [string, string]>([
    ["the file that it is about to make", stub.replace("f1", "f2")],
    ["a file that a later call of the same answer makes", stub.replace("f1", "f3")],
    ["a file that the session does not have", stub.replace("f1", "f9")],
    ["a version that the file does not have", stub.replace("v1", "v2")],
    ["the file in the standing instruction", "[1200 characters, now in f3 v2]"],
    ["an output that the session does not have", mark.replace("f1", "t7")],
  ])("is refused if it names %s", async (_, content) => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });

    const alone = await session.checkArguments("write", { path: "b.ts", content });
    const inside = await session.checkArguments("bash", { command: `echo 'a ${content}' > b.ts` });

    for (const reason of [alone, inside]) {
      expect(reason).toMatch(/^The call did not run, because an argument contains "\[/u);
      expect(reason).toContain("Give the text in full. If a file must contain exactly this");
    }
  });

  it("is refused with the version that shows the text", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });
    files.set("/work/a.ts", "two\n");
    await session.read({ path: "a.ts" });

    const reason = await session.checkArguments("write", { path: "b.ts", content: stub });
    const [, advised = ""] = /activate (\S+) shows the text/u.exec(reason ?? "") ?? [];

    expect((await session.activate(advised)).text).toBe(
      "Version 1 of f1 a.ts, lines 1-1 of 1:\none\n",
    );
  });

  it("is refused for a stub without a file if the view contains one", async () => {
    const layout = epochLayout({ largeArguments: 60 });
    const clock = { time: 0, now: (): number => clock.time };
    const { session } = await openTestSession({
      layout,
      clock,
      policy: recentlyUsedPolicy({ alive: 1, kept: 1 }),
    });
    const history = scriptHistory();
    history.user("write it");
    history.call(
      "write",
      { path: "b.ts", content: "words and more words\n".repeat(60) },
      "written",
    );
    await history.ingest(session);
    await session.nextView();
    const write = async (content: string): Promise<string | undefined> =>
      await session.checkArguments("write", { path: "b.ts", content });
    const before = await write("[1260 characters left out]");
    for (let call = 0; call < 3; call += 1)
      history.call("bash", { command: `${call}` }, "text\n".repeat(90));
    history.user("go on");
    await history.ingest(session);
    clock.time += 24 * 3_600_000;
    const { messages } = await session.nextView();

    expect(JSON.stringify(messages)).toContain("[1260 characters left out]");
    expect(before).toBeUndefined();
    expect(await write("[900 characters left out]")).toMatch(/^The call did not run/u);
  });

  it("can run if the file contains the same one already", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": `a\n${stub} b\n` } });
    await session.read({ path: "a.ts" });
    const write = async (content: string): Promise<string | undefined> =>
      await session.checkArguments("write", { path: "a.ts", content });

    expect(await write(`more\n${stub} b\n`)).toBeUndefined();
    expect(await write(`more\n${stub.replace("v1", "v2")} b\n`)).toBeDefined();
    expect(await write(stub)).toBeDefined();
    files.set("/work/a.ts", `${stub}\n`);
    expect(await write(stub)).toBeUndefined();
  });

  it.each([stub, stub.replace("f1", "f9"), mark, mark.replace("f1", "t7")])(
    "can be made in two calls, as the reason says: %s",
    async (text) => {
      const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
      await session.read({ path: "a.ts" });
      const write = async (content: string): Promise<string | undefined> =>
        await session.checkArguments("write", { path: "a.ts", content });
      const reason = (await write(text)) ?? "";
      const [one = "none", other = "none"] =
        /write it with "(.+?)" at .+ by "(.+?)" with/u.exec(reason)?.slice(1) ?? [];

      const first = await write(text.replace(other, one));
      const second = { path: "a.ts", oldText: one, newText: other };

      expect(text.replace(other, one)).toMatch(/^\[0 characters/u);
      expect(first).toBeUndefined();
      expect(await session.checkArguments("edit", second)).toBeUndefined();
    },
  );
});

describe("a call can run", () => {
  it.each<readonly [string, string, JsonObject]>([
    ["if it has no stand-in", "write", { path: "a.ts", content: "[4000 characters]" }],
    ["if it only searches", "grep", { pattern: stub, path: "." }],
    ["if it only searches, as a command", "bash", { command: `grep -F '${stub}' a.ts` }],
    [
      "if the session has shown no stub without a file",
      "write",
      { path: "a.ts", content: "[400 characters left out]" },
    ],
    ["if it is for an agent", "task", { prompt: stub }],
  ])("%s", async (_, tool, args) => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });

    expect(await session.checkArguments(tool, args)).toBeUndefined();
  });
});
