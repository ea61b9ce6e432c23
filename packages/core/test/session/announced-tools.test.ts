import { describe, expect, it } from "vitest";
import { type ToolFacts, usualToolFacts } from "../../src/calls/tool-facts.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import type { SessionDependencies } from "../../src/state/session-scope.ts";
import { openTestSession, testHost } from "./test-session.ts";

const facts: ToolFacts = (name, args) =>
  name === "peruse" ? { kind: "read", paths: [] } : usualToolFacts(name, args);

describe("activate of a file that was only named", () => {
  it.each([
    ["read", "a tool of the name read"],
    ["read_file", "a tool of another harness"],
    ["str_replace_editor", "an editor, which can read"],
    ["peruse", "a tool that reads by the tool facts"],
  ])("asks for a read after %s was announced: %s", async (name) => {
    const session = await openNamed({ toolFacts: facts });

    session.announceTools(["bash", name]);

    expect(await session.activate("f1")).toMatchObject({
      ok: false,
      text: `f1 a.txt was not read in this session; call ${name} with its path to see it.`,
    });
  });

  it("names the announced tool where an object is not known", async () => {
    const session = await openNamed();

    session.announceTools(["bash", "read_file", "view_image"]);

    expect((await session.activate("f9")).text).toMatch(/; read_file opens an unknown file\.$/u);
  });

  it("still asks after further tools were announced", async () => {
    const session = await openNamed();

    session.announceTools(["read"]);
    session.announceTools(["bash"]);

    expect(await session.activate("f1")).toMatchObject({ ok: false });
  });

  it("reads the file if no announced tool reads", async () => {
    const session = await openNamed();

    session.announceTools(["bash", "write", "edit", "grep", "exec", "own_tool"]);

    expect(await session.activate("f1")).toMatchObject({ ok: true });
  });

  it("follows the setting whatever was announced", async () => {
    const reading = await openNamed({ activateUnread: "read" });
    const asking = await openNamed({ activateUnread: "ask" });

    reading.announceTools(["read"]);
    asking.announceTools([]);

    expect(await reading.activate("f1")).toMatchObject({ ok: true });
    expect(await asking.activate("f1")).toMatchObject({ ok: false });
  });

  it("shows what the model has read before", async () => {
    const session = await openNamed();
    session.announceTools(["read"]);
    await session.read({ path: "a.txt" });
    await session.deactivate("f1");

    expect(await session.activate("f1")).toMatchObject({ ok: true });
  });
});

async function openNamed(
  settings: Pick<SessionDependencies, "activateUnread" | "toolFacts"> = {},
): Promise<ContextSession> {
  const { dependencies } = await openTestSession({ files: { "/work/a.txt": "secret\n" } });
  const session = await openContextSession({ ...dependencies, ...settings }, testHost);
  await session.recordNamed(["a.txt"]);
  return session;
}
