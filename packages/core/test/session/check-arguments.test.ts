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
    [
      "of the file that it is about to make",
      "write",
      { path: "b.ts", content: stub.replace("f1", "f2") },
    ],
  ])("is refused: %s", async (_, tool, args) => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });

    const reason = await session.checkArguments(tool, args);

    expect(reason).toMatch(/^The call did not run, because an argument contains "\[/u);
    expect(reason).toMatch(/activate f[12] shows the text/u);
    expect(hasOwnLine(reason ?? "")).toBe(false);
  });

  it("is refused for a stub without a file if the view contains one", async () => {
    const layout = epochLayout({ largeArguments: 60, argumentsBesideSignedThinking: true });
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
    await session.view();
    const write = async (content: string): Promise<string | undefined> =>
      await session.checkArguments("write", { path: "b.ts", content });
    const before = await write("[1260 characters left out]");
    for (let call = 0; call < 3; call += 1)
      history.call("bash", { command: `${call}` }, "text\n".repeat(90));
    history.user("go on");
    await history.ingest(session);
    clock.time += 24 * 3_600_000;
    const { messages } = await session.view();

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

  it("can be made in two calls, as the reason says", async () => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });
    const content = stub.replace("[4000 ", "[0 ");

    const first = await session.checkArguments("write", { path: "a.ts", content });
    const second = { path: "a.ts", oldText: "[0 ", newText: "[4000 " };

    expect(first).toBeUndefined();
    expect(await session.checkArguments("edit", second)).toBeUndefined();
  });
});

describe("a call can run", () => {
  it.each<readonly [string, string, JsonObject]>([
    ["if it has no stand-in", "write", { path: "a.ts", content: "[4000 characters]" }],
    ["if it only searches", "grep", { pattern: stub, path: "." }],
    ["if it only searches, as a command", "bash", { command: `grep -F '${stub}' a.ts` }],
    [
      "if it names no object of the session",
      "write",
      { path: "a.ts", content: stub.replace("f1", "f9") },
    ],
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
