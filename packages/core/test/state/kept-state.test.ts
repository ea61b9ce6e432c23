import { describe, expect, it } from "vitest";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";
import { versionCount, viewParts } from "../session/view-parts.ts";

describe("the stored state of a session", () => {
  it("has the text that the model wrote, if nothing else changed", async () => {
    const opened = await openTestSession({
      activateUnread: "ask",
      files: { "/work/a.txt": "old\n" },
    });
    const { session, files } = opened;
    await session.read({ path: "a.txt" });
    await session.deactivate("f1");
    files.set("/work/a.txt", "new\n");
    await session.recordWrite("a.txt", { args: { path: "a.txt", content: "new\n" } });

    const again = await opened.reopen();

    expect(await again.activate("f1")).toMatchObject({ ok: true });
  });

  it("has the order of the active objects, although an activation was refused", async () => {
    const opened = await openTestSession({
      activateUnread: "ask",
      files: { "/work/a.txt": "a\n", "/work/b.txt": "b\n" },
    });
    const { session, files } = opened;
    await session.read({ path: "a.txt" });
    await session.read({ path: "b.txt" });
    files.set("/work/a.txt", "changed by another program\n");
    await session.recordNamed(["a.txt"]);
    const before = (await viewParts(session)).activeTexts;

    expect(await session.activate("f1")).toMatchObject({ ok: false });

    expect((await viewParts(session)).activeTexts).toEqual(before);
  });

  it("has an object that is activated again as the newest one", async () => {
    const { session } = await openTestSession({
      files: { "/work/a.txt": "a\n", "/work/b.txt": "b\n" },
    });
    await session.read({ path: "a.txt" });
    await session.read({ path: "b.txt" });

    await session.activate("f1");

    expect((await viewParts(session)).activeTexts.at(-1)).toBe("Active: f2 f1.");
  });

  it("gets no version if a result is ingested again", async () => {
    const opened = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "ls" }, "out");
    await history.ingest(opened.session);
    await opened.session.nextView();
    const before = await versionCount(opened.store);

    await history.ingest(opened.session);

    expect(await versionCount(opened.store)).toBe(before);
  });
});
